// A privacy officer's work with earlier requests: finding them, printing receipts, and changing due dates.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { strFromU8, unzipSync } from 'fflate'
import { asObject, expectStatus } from '../../src/index.ts'
import { sendFor } from './console-hands.ts'
import type { consoleHands } from './console-hands.ts'
import { manyTests } from './officer-many.ts'
import { twoStreamTests } from './officer-two-streams.ts'
import type { OfficerScene } from './officer.ts'

export function requestTests(scene: () => OfficerScene, hands: ReturnType<typeof consoleHands>) {
  const { page, goTo, button, seen, downloaded, expectAccessible } = hands

  test('requests are found again by their reference, their id and their state', async () => {
    await goTo('Erasures')
    const requests = page().locator('.erasures > li')
    const counted = async (count: number) =>
      pollUntil(async () => (await requests.count()) === count, { deadlineMs: 60_000 })
    await counted(3)
    const words = page().getByPlaceholder('Reference, id or date')
    await words.fill('ticket-7')
    await counted(1)
    await words.fill((await requests.locator('code').first().textContent()) ?? '')
    await counted(1)
    for (const day of ['24 dec 2999', '2999-12-24', '24.12.2999']) {
      await words.fill(day)
      await counted(1)
    }
    const list = (await downloaded('Download this list (CSV)', scene().own.folder)).split(/\r?\n/)
    expect(list).toEqual([
      '\uFEFFkind,reference,id,stream,events,accepted,due,overdue,state,completed,outputs_keep_until,outputs_that_readers_decrypt',
      expect.stringMatching(
        /^erasure,TICKET-7,[\w-]{36},clicks,[1-9]\d*,2.*Z,2999-12-24,no,complete,2.*Z,\d{4}-\d\d-\d\d,$/,
      ),
    ])
    await words.fill('TICKET-8')
    await seen('None of the 3 requests matches.')
    await words.fill('')
    await page().getByLabel('State').selectOption('complete')
    await requests
      .filter({ hasText: 'TICKET-7' })
      .getByRole('button', { name: 'Download receipt' })
      .waitFor({ timeout: 90_000 })
    await page().getByLabel('State').selectOption('overdue')
    await counted(0) // a complete request is not overdue
    await seen('None of the requests is overdue.')
    await page().getByLabel('State').selectOption('all')
  })

  test('the receipts of all requests that are shown are one file', async () => {
    await page().getByPlaceholder('Reference, id or date').fill('ticket-7')
    const downloading = page().waitForEvent('download')
    await button('Download 1 receipt').click()
    expect((await downloading).suggestedFilename()).toBe('receipts.zip')
    const file = join(scene().own.folder, 'receipts.zip')
    await (await downloading).saveAs(file)
    await seen('Saved the receipts of 1 of 1 request.')
    const files = Object.entries(unzipSync(await readFile(file)))
    expect(files.map(([name]) => name)).toEqual([
      expect.stringMatching(/^TICKET-7-receipt-[\w-]{36}\.jws$/),
    ])
    const [, claims = ''] = strFromU8(files[0]?.[1] ?? new Uint8Array()).split('.')
    expect(Buffer.from(claims, 'base64url').toString()).toContain('"reference":"TICKET-7"')
    await page().getByPlaceholder('Reference, id or date').fill('')
    expect(await page().getByText('Saved the receipts').count()).toBe(0) // this message is about the former list
  })

  test('they are offered before a stream is deleted, too', async () => {
    await goTo('Streams')
    await button('Delete clicks').click()
    const dialog = page().getByRole('dialog')
    await dialog.getByRole('button', { name: /^Download \d receipts?$/ }).click()
    await dialog.getByText(/^Saved the receipts of \d of 3 requests\.$/).waitFor()
    await expectAccessible('saving receipts before a stream is deleted')
    await page().keyboard.press('Escape')
    await goTo('Erasures')
  })

  test('a receipt is read in a new tab, as a page that can be printed', async () => {
    const opening = page().waitForEvent('popup')
    await page()
      .locator('.erasures > li', { hasText: 'TICKET-7' })
      .getByRole('button', { name: 'Read and print receipt' })
      .click()
    const paper = await opening
    try {
      await paper.getByRole('heading', { name: 'The receipt is genuine' }).waitFor()
      await paper.getByText('Its reference is TICKET-7.').waitFor()
      await paper.getByRole('button', { name: 'Print' }).waitFor()
      expect(await paper.evaluate('window.opener')).toBeNull()
      await paper.emulateMedia({ media: 'print' })
      expect(await paper.locator('form').isVisible()).toBe(false)
      const receipt = await paper.locator('pre').innerText()
      const [, claims = ''] = receipt.split('.')
      expect(Buffer.from(claims, 'base64url').toString()).toContain('"reference":"TICKET-7"')
      const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      expect(await paper.evaluate(wide)).toBe(0)
    } finally {
      await paper.close()
    }
  })

  test('a receipt of a withdrawal has the names of its levels', async () => {
    const withdrawal = page().locator('.erasures > li', {
      hasText: 'level 2 (marketing e-mails) for 1 person',
    })
    const read = withdrawal.getByRole('button', { name: 'Read and print receipt' })
    await read.waitFor({ timeout: 90_000 })
    const opening = page().waitForEvent('popup')
    await read.click()
    const paper = await opening
    try {
      await paper
        .getByRole('heading', { name: 'Withdrawal of consent for level 2 (marketing e-mails) by' })
        .waitFor()
      await paper.getByText(`signed on`).waitFor()
    } finally {
      await paper.close()
    }
  })

  manyTests(scene, hands)

  test('a request that was complete after its day says that it was late', async () => {
    const { world, account } = scene()
    await sendFor({ world, account }, 'late-1', 1)
    const asked = { keyFieldValue: 'late-1', reference: 'TICKET-10', dueOn: '2020-02-29' }
    expectStatus(await account.call('POST', '/v2/streams/clicks/erasures', asked), 201)
    await goTo('Erasures')
    const erasure = page().locator('.erasures > li', { hasText: 'TICKET-10' })
    await erasure.getByText('due 29 Feb 2020, was late').waitFor({ timeout: 90_000 })
  })

  test('a due date is changed, and a day that is already past says so before', async () => {
    const erasure = page().locator('.erasures > li', { hasText: 'TICKET-10' })
    await erasure.getByRole('button', { name: 'Change reference or due date of TICKET-10' }).click()
    const due = erasure.getByLabel('Due')
    await due.fill('2001-01-31')
    await seen('This day is already past (in UTC). The request is overdue from the start.')
    await expectAccessible('changing a due date')
    await due.fill('2999-01-31')
    await button('Save').click()
    await erasure.getByText(/^due 31 Jan 2999$/).waitFor()
    await erasure.getByRole('button', { name: 'Change reference or due date of TICKET-10' }).click()
    await button('No due date').click()
    await button('Save').click()
    await erasure.getByRole('button', { name: 'Change reference or due date of' }).waitFor()
    await erasure.getByText(/^due /).waitFor({ state: 'detached' })
  })

  test('a restore from a backup is told, with what it may have undone', async () => {
    const [since, until] = ['2026-11-01T10:00:00.000Z', '2026-11-01T10:05:00.000Z']
    const answers = [
      ['**/v2/streams', { erasuresLost: [{ since, until }] }],
      ['**/v2/streams/clicks/erasures', { incompleteSince: since }],
    ] as const
    for (const [path, more] of answers)
      await page().route(path, async (route) => {
        const response = await route.fetch()
        const list: unknown = await response.json()
        const json = Array.isArray(list)
          ? list.map((each) => ({ ...asObject(each), ...more }))
          : list
        await route.fulfill({ response, json })
      })
    await goTo('People')
    await goTo('Erasures')
    await seen(/^Weir was restored from a backup\. Requests that were accepted between 1 Nov 2026/)
    await seen(/^A restore of Weir has lost some of the links/)
    for (const [path] of answers) await page().unroute(path)
  })

  test('an address of no page is told', async () => {
    await page().evaluate("location.hash = '#/nope'")
    await seen('A key with the role owner has no page «nope».')
    await goTo('People')
  })

  twoStreamTests(scene, hands)
}
