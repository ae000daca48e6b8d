// A privacy officer's day in the console, with an API key of that role: finds a person, sees what is stored where and
// until when, exports the events, withdraws one consent, erases, keeps the salt, and downloads the receipt.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { expectStatus, textIn } from '../../src/index.ts'
import type { Account, ConsolePage, World } from '../../src/index.ts'
import type { OwnStack } from '../../src/world/own-stack.ts'
import type { consoleHands } from './console-hands.ts'
import { expectUncovered, verifiedReceipt } from './console-hands.ts'
import { strangerReads } from './stranger.ts'

export type OfficerScene = {
  readonly own: OwnStack
  readonly world: World
  readonly account: Account
  readonly weir: ConsolePage
}

export function officerTests(scene: () => OfficerScene, hands: ReturnType<typeof consoleHands>) {
  const { page, goTo, button, seen, find, confirm, downloaded, picture } = hands
  const { expectAccessible, decryptedOutputs } = hands
  let [salt, note] = ['', '']

  async function signIn(apiKey: string): Promise<void> {
    await page().getByLabel('API key').fill(apiKey)
    await page().keyboard.press('Enter')
  }

  const held = () => page().getByRole('region', { name: 'Where clicks holds events' })
  const heldIn = (name: RegExp) => held().getByRole('row', { name })

  async function copiedSalt(): Promise<string> {
    await button('Copy the salt').click()
    await seen('Copied')
    const copied = String(await page().evaluate('navigator.clipboard.readText()'))
    expect(copied).toMatch(/^[\w-]{43}$/)
    return copied
  }

  test('an officer lands where people are found, and is offered nothing that the key may not do', async () => {
    const asked = { name: 'privacy office', role: 'officer' }
    const made = await scene().account.call('POST', '/v2/api-keys', asked)
    await button('Sign out').click()
    await signIn(textIn(expectStatus(made, 201).body, 'apiKey'))
    await page().getByRole('heading', { name: 'People' }).waitFor()
    const isTitled = async () => (await page().title()) === 'People · Weir'
    await pollUntil(isTitled, { deadlineMs: 60_000 })
    await page().locator('input:focus').waitFor() // the field that finds a person
    const pages = page().getByRole('navigation', { name: 'Pages' }).getByRole('link')
    expect(await pages.allTextContents()).toEqual([
      'Streams',
      'Contracts',
      'Usage',
      'People',
      'Erasures',
    ])
    await goTo('Streams')
    await page().getByRole('region', { name: 'Stream clicks' }).waitFor()
    for (const name of ['New stream', 'New output', 'Delete clicks'])
      expect(await button(name).count()).toBe(0)
  })

  test('whoever is not found is told what to check, and nothing is offered by mistake', async () => {
    await goTo('People')
    await find('Session-0001')
    await seen(/^No event has Session-0001 in .*producerSessionId/)
    await seen('This does not mean that nothing is stored about the person.')
    await seen(/^clickstream: producerSessionId; not .*customer\/id/)
    await seen(/^Searched at \d\d:\d\d:\d\d UTC\.$/)
    await seen('Nothing was found in these streams')
    await find('')
    await seen('Enter a value to search for.')
    await seen(/by the exact value of one of these fields: .*producerSessionId/)
    expect(await button('Erase …').count()).toBe(0)
    await expectAccessible('nobody found')
  })

  test('a person is found with the field that names them, and with what is held where and until when', async () => {
    await find('session-0001')
    await seen(/\d+ events of clickstream, with this value in producerSessionId/)
    await seen(/^Not included: events that name this person by another value only/)
    await seen(/^clickstream: producerSessionId; not .*customer\/id/)
    await pollUntil(
      async () => {
        await find('session-0001')
        await heldIn(/^clicks-2 output .*2 \(marketing e-mails\) [\d,]+ decrypted: c/).waitFor()
        return (await held().getByRole('row').count()) === 5 || undefined
      },
      { deadlineMs: 60_000, what: 'that every output holds events' },
    )
    await heldIn(/^clicks-1 output .* of level 1 \d+ /).waitFor()
    await seen(/^clickstream: url, eventType, .*, svcMeta/) // fields that aren't personal
    await picture('people')
    await expectAccessible('people')
  })

  test('the events are downloaded for the person, to be read by programs or in a spreadsheet', async () => {
    const saved = await downloaded('Download as JSON Lines', scene().own.folder)
    const lines = saved.trim().split('\n')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      contract: 'clickstream',
      event: { producerSessionId: 'session-0001', customer: { id: 'customer-00042' } },
    })
    await seen(/^An event that names somebody else, for example of a shared device, has/)
    const csv = await downloaded('Download as a spreadsheet (CSV)', scene().own.folder)
    expect(csv).toMatch(/^\uFEFFevent,time,[^]*,consent level,2,,marketing e-mails,searched\r\n/)
    expect(csv.match(/,customer\/id,customer-00042,/g)).toHaveLength(lines.length)
  })

  test('one consent is withdrawn: the window wants a level, and shows what it means', async () => {
    await button('Withdraw a consent …').click()
    expect(await button('Withdraw').isDisabled()).toBe(true)
    await page()
      .getByLabel(/^Level 2 \(marketing e-mails\) of the output clicks-2/)
      .check()
    const keeping = page().getByRole('dialog').getByRole('listitem')
    expect(await keeping.allTextContents()).toEqual([expect.stringMatching(/^clicks-2: until \d/)])
    await seen(/Tell the team that sends the events, since later events keep the levels/)
    await page().locator('dialog summary', { hasText: 'Not included: events' }).waitFor()
    await confirm('session-0001')
    await expectAccessible('withdrawing')
    await button('Withdraw').click()
    await seen('Withdrawal accepted')
    await copiedSalt()
    await page().keyboard.press('Escape')
    await seen(/^Withdrawn: level 2 \(marketing e-mails\)\. Outputs keep what .* the days below\.$/)
    await seen(/^Request accepted on .* UTC, when \d+ events? (was|were) found: see the request$/)
    await button('Withdraw a consent …').click()
    expect(
      await page()
        .getByLabel(/^Level 2 \(marketing e-mails\) already withdrawn/)
        .isDisabled(),
    ).toBe(true)
    await page().keyboard.press('Escape')
  })

  test('the window names who was found, not who is being typed', async () => {
    await page().getByLabel('Find a person').fill('somebody else')
    await button('Erase …').click()
    await confirm('somebody else')
    expect(await button('Erase').isDisabled()).toBe(true)
    await confirm('session-0001')
    expect(await button('Erase').isDisabled()).toBe(false)
    await button('Cancel').click()
  })

  test('a person is erased, and nobody closes the window before the salt is kept without being asked', async () => {
    await button('Erase …').click()
    await seen('This does not delete what these outputs have decrypted.')
    await seen(/It appears in the receipt: write no name/)
    await seen(/^If the person wants a copy, download it before: close this window/)
    await page().getByLabel('Reference').fill('TICKET-7')
    await page().getByLabel('Due').fill('2999-12-24')
    await confirm('session-0001')
    await expectAccessible('erasing')
    await expectUncovered(page())
    await picture('erase')
    await button('Erase').click()
    await seen('Keep the salt: it is shown only once.')
    await seen(/\d+ events? found in clicks\. The page/)
    const outputs = page()
      .getByRole('dialog')
      .getByRole('row', { name: /^clicks-2 0, 1 [1-9]/ })
    await outputs.waitFor() // with the number of events that the search found
    const link = page()
      .getByRole('dialog')
      .getByRole('link', { name: /\/verify$/ })
    expect(await link.getAttribute('target')).toBe('_blank')
    for (let press = 0; press < 3; press += 1) await page().keyboard.press('Escape')
    await seen('The salt is not kept, and it is never shown again.')
    const asked = page().waitForEvent('dialog')
    void page()
      .reload()
      .catch(() => undefined)
    expect((await asked).type()).toBe('beforeunload')
    await (await asked).dismiss()
    await expectAccessible('the salt')
    salt = await copiedSalt()
    await page().keyboard.press('Escape')
    await seen(/^Erased(, by a request .*)?: (as soon as .*, )?no service of Weir decrypts/)
    expect(await button('Download as JSON Lines').count()).toBe(0)
  })

  test('whoever wants a record that nothing was found gets it', async () => {
    await find('session-0002')
    await button('Record that nothing was found in clicks').click()
    await seen('session-0002: 0 events found in clicks.')
    await seen(
      /^This creates a request whose receipt says that 0 events were found.* after 11 to 15 minutes/,
    )
    await confirm('session-0002')
    await page().locator('dialog button[type=submit]').click()
    await page().getByRole('heading', { name: 'Record accepted' }).waitFor()
    await seen(/^0 events found in clicks\. The page/)
    await seen(
      /^The search of .* UTC found no decrypted personal field of the person in these outputs: clicks-0, clicks-1, clicks-2\. Events that arrived later are not counted\.$/,
    )
    expect(await page().getByRole('dialog').getByText('may still contain values').count()).toBe(0)
    note = await downloaded('Save with the salt as a file', scene().own.folder)
    expect(note).toMatch(
      /^Person: session-0002\n\nStream: clicks\nRecord: [\w-]{36}\nAccepted: .* UTC\nSalt: [\w-]{43}\n\nKeep this file secret.*\nThis file is not the receipt/,
    )
    await page().keyboard.press('Escape')
    await goTo('Streams')
    await goTo('People') // the page still shows the person who was searched
    const request = page().getByRole('link', { name: 'see the request' })
    await request.waitFor()
    expect(await button('Record that nothing was found in clicks').count()).toBe(0)
    await request.click()
    await seen('Nothing found: record for 1 person')
    expect(await page().locator('.erasures > li').count()).toBe(1)
    await seen(
      /^The search of .* found no decrypted personal field of the person in these outputs: clicks-0, clicks-1, clicks-2\. Events that arrived later are not counted\.$/,
    )
    expect(await page().getByText('may still contain values').count()).toBe(0)
    await goTo('People')
    await find(' session-0003')
    await button('Search for session-0003').click()
    await seen(/^No event has session-0003 in/)
  })

  test('an erasure shows its states, and what remains decrypted until when', async () => {
    await goTo('Erasures')
    const erasure = page().locator('.erasures > li', { hasText: 'TICKET-7' })
    await erasure.getByText(/^(Erasing 1 person|1 person erased)$/).waitFor()
    await erasure.getByText(/^due 24 Dec 2999/).waitFor()
    for (const name of [
      /^clicks-0 0 [1-9][\d,]* \d+ \w{3,4} \d{4}/,
      /^clicks-1 0, 1 [1-9][\d,]* \d+ \w{3,4} \d{4}/,
    ])
      await decryptedOutputs(erasure).getByRole('row', { name }).waitFor()
    expect(await page().locator('body').innerText()).not.toContain('in no copy')
    await page()
      .getByText(/level 2 \(marketing e-mails\) for 1 person$/)
      .waitFor()
    await seen('Nothing found: record for 1 person')
    await erasure
      .getByText(/^These outputs may still contain values that they decrypted before the erasure/)
      .waitFor()
    await erasure.getByText(/^[\d,]+ events? found in clicks$/).waitFor()
    await erasure.locator('.states .reached').nth(1).waitFor({ timeout: 90_000 })
    await erasure
      .locator('.states')
      .getByText(/^(usually after 11 to 15 minutes, at the latest|overdue, expected by) /)
      .or(erasure.locator('.states .reached').nth(2))
      .first()
      .waitFor()
    await erasure
      .getByText(/^«Complete» means .* is for the operators of Weir to decide\.$/)
      .waitFor()
  })

  test('the receipt of a complete erasure holds without any service', async () => {
    const erasure = page().locator('.erasures > li', { hasText: 'TICKET-7' })
    const download = erasure.getByRole('button', { name: 'Download receipt' })
    await download.waitFor({ timeout: 90_000 })
    await erasure.getByText(/^Save the receipt: when the stream is deleted/).waitFor()
    await picture('erasures')
    await expectAccessible('erasures')
    const downloading = page().waitForEvent('download')
    await download.click()
    const { own, world } = scene()
    const file = join(own.folder, 'receipt.jws')
    expect((await downloading).suggestedFilename()).toMatch(/^TICKET-7-receipt-[\w-]{36}\.jws$/)
    await (await downloading).saveAs(file)
    const about = ['--value', 'session-0001', '--salt', salt]
    expect(await verifiedReceipt({ own, world }, file, about)).toMatchObject({
      reference: 'TICKET-7',
      levels: 'all',
      outputs: [
        { name: 'clicks-0', levels: [0], clearAt: expect.any(String) },
        { name: 'clicks-1', levels: [0, 1], clearAt: expect.any(String) },
        { name: 'clicks-2', clearAt: expect.any(String) },
      ],
    })
  })

  test('a stranger with the receipt, the value and the salt reads in a browser what was signed', async () => {
    const receipt = await readFile(join(scene().own.folder, 'receipt.jws'), 'utf8')
    const link = page().getByRole('link', { name: /\/verify$/ })
    const address = (await link.first().getAttribute('href')) ?? ''
    await strangerReads(page().context(), address, { receipt, salt, note })
  })

  test('the chosen stream stays chosen, and a stream that is not there is not another one', async () => {
    await goTo('Usage')
    await page().evaluate("location.hash = '#/erasures/clicks'")
    await page().getByText('TICKET-7').waitFor()
    await goTo('Usage')
    expect(await page().evaluate('location.hash')).toBe('#/usage/clicks')
    await page().evaluate("location.hash = '#/erasures/clikcs'")
    await seen('The account has no stream clikcs.')
    await seen(/^When a stream is deleted, its requests and their receipts are deleted, too/)
    expect(await page().locator('.erasures > li').count()).toBe(0)
    await button('Sign out').click()
    await signIn(scene().account.apiKey)
  })
}
