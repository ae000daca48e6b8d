// A developer names a level on the page Contracts. From then on all pages show the name (officer.ts).
import { expect, test } from '@jest/globals'
import { expectStatus } from '../../src/index.ts'
import type { Account } from '../../src/index.ts'
import type { consoleHands } from './console-hands.ts'

export function purposeTests(account: () => Account, hands: ReturnType<typeof consoleHands>) {
  const { page, goTo, button, seen, expectAccessible } = hands

  test('a developer names a level, and reads the name beside the level', async () => {
    await goTo('Contracts')
    await page().getByRole('link', { name: 'clickstream', exact: true }).click()
    const card = page().getByRole('region', { name: 'Names of levels' })
    const level = card.getByRole('textbox', { name: 'Level' }).first()
    await level.fill('x')
    const title = card.getByRole('textbox', { name: /^Name/ }).first()
    await title.fill('marketing e-mails')
    await button('Save names').click()
    await seen('Enter the level of «marketing e-mails», a whole number from 0 to 255.')
    await level.fill('2')
    await button('Save names').click()
    await seen('Saved.')
    await seen(/agreed to: 2 \(marketing e-mails\)$/)
    expect(await card.locator('.problems').count()).toBe(0)
    await expectAccessible('names of levels')
    await goTo('Streams')
    await page().getByText('Outputs: levels, retention and topics').click()
    const row = page().getByRole('row', {
      name: /^clicks-2 2 \(marketing e-mails\) level 2 \(mark/,
    })
    await row.waitFor()
    const told = 'decrypts level 2 (marketing e-mails) and below'
    await page().locator('.picture').getByText(told, { exact: true }).waitFor()
    const before = page().viewportSize()
    await page().setViewportSize({ width: 390, height: 800 })
    await page()
      .getByRole('listitem')
      .filter({ hasText: `clicks-2: ${told}, ` })
      .waitFor()
    await goTo('Contracts')
    await page().getByRole('link', { name: 'clickstream', exact: true }).click()
    const field = page().getByRole('row', { name: /^customer\/id / })
    const { x = 390 } = (await field.getByText('level 0').boundingBox()) ?? {}
    expect(x).toBeLessThan(330)
    if (before !== null) await page().setViewportSize(before)
  })

  test('names that somebody else has changed meanwhile are not overwritten', async () => {
    await goTo('Contracts')
    const card = page().getByRole('region', { name: 'Names of levels' })
    await card.getByRole('textbox', { name: 'Level' }).nth(1).waitFor()
    const elsewhere = [{ name: 'mail', title: 'newsletter', level: 2 }]
    expectStatus(await account().call('PUT', '/v2/account/purposes', elsewhere), 200)
    await button('Save names').click()
    await seen(/^Somebody else has changed these names\./)
    await goTo('Streams')
    await goTo('Contracts')
    const title = card.getByRole('textbox', { name: /^Name/ }).first()
    expect(await title.inputValue()).toBe('newsletter')
    await title.fill('marketing e-mails')
    await button('Save names').click()
    await seen('Saved.')
    const { text } = await account().call('GET', '/v2/account/purposes')
    expect(JSON.parse(text)).toEqual([{ name: 'mail', title: 'marketing e-mails', level: 2 }])
  })
}
