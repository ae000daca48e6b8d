// A privacy officer's work with earlier requests: finding them, printing a receipt, and a file of many people.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { strFromU8, unzipSync } from 'fflate'
import { asObject, expectStatus } from '../../src/index.ts'
import { sendFor } from './console-hands.ts'
import type { consoleHands } from './console-hands.ts'
import { twoStreamTests } from './officer-two-streams.ts'
import type { OfficerScene } from './officer.ts'

export function requestTests(scene: () => OfficerScene, hands: ReturnType<typeof consoleHands>) {
  const { page, goTo, button, seen, find, downloaded, expectAccessible } = hands
  /** Each time the same file, as after a correction. */
  const choose = async (text: string): Promise<void> => {
    const file = join(scene().own.folder, 'people.csv')
    await writeFile(file, text)
    const choosing = page().waitForEvent('filechooser')
    await page()
      .getByLabel(/^A CSV file/)
      .click()
    await (await choosing).setFiles(file)
  }

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
      '\uFEFFkind,reference,id,stream,events,accepted,due,state,completed,outputs_keep_until',
      expect.stringMatching(
        /^erasure,TICKET-7,[\w-]{36},clicks,[1-9]\d*,2.*Z,2999-12-24,complete,2.*Z,\d{4}-\d\d-\d\d$/,
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
    await seen('None of the 3 requests is overdue.')
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
    expect(await page().getByText('Saved the receipts').count()).toBe(0) // they are of another list
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

  test('a receipt of a withdrawal has the names of its levels beside what is signed', async () => {
    const withdrawal = page().locator('.erasures > li', {
      hasText: 'level 2 (marketing e-mails) for 1 person',
    })
    const read = withdrawal.getByRole('button', { name: 'Read and print receipt' })
    await read.waitFor({ timeout: 90_000 })
    const opening = page().waitForEvent('popup')
    await read.click()
    const paper = await opening
    try {
      await paper.getByRole('heading', { name: 'Withdrawal of consent for level 2 by' }).waitFor()
      const named =
        'The link to this page says that level 2 has the name «marketing e-mails» in the account today. The name is not part of what is signed.'
      await paper.emulateMedia({ media: 'print' })
      await paper.getByText(named).waitFor()
      await paper.emulateMedia({ media: 'screen' })
      const receipt = await paper.getByLabel('The receipt').inputValue()
      await paper.getByLabel('The receipt').fill(`Dear Ann: ${receipt}x`)
      await paper.getByRole('button', { name: 'Check' }).click()
      await paper.getByRole('heading', { name: 'The receipt is not valid' }).waitFor()
      expect(await paper.getByText(named).count()).toBe(0)
    } finally {
      await paper.close()
    }
  })

  test('many people are erased by a file, each after a search, and the salts are in the results', async () => {
    const { own, world, account } = scene()
    for (const [person, events] of [
      ['many-1', 2],
      ['many;2', 1],
      ['many-3', 1],
    ] as const)
      await sendFor({ world, account }, person, events)
    await goTo('People')
    await button('Erase many people …').click()
    await choose('value;due\nsession-0003;tomorrow\n')
    await seen('Line 2 is due on tomorrow: write a day such as 2026-12-24 or 24.12.2026.')
    await choose('producerSessionId\nmany-1\n')
    await seen(/^The values are read from the column producerSessionId\./)
    await choose('name\nmany-1\n')
    await seen(/^The first line must name the columns: value, .* It is: name$/)
    await choose(
      'Value;reference;due\nmany-1;TICKET-8;24-12-2999\n"many;2";;\nnobody;;\nmany-1;TICKET-12;\n',
    )
    await seen(/^Lines 2 and 5 name the same person, who is erased once\./)
    await seen('2 people have no reference')
    await page().getByLabel('Reference of lines without one').fill('TICKET-9')
    await page().getByLabel('Due in lines without a date').fill('2999-12-31')
    expect(await page().getByText('no reference: their').count()).toBe(0)
    await button('Search 3 people in all streams').click()
    await seen('3 of 3 people searched.')
    const people = page().getByRole('region', { name: 'People of the file' })
    await people
      .getByRole('row', { name: /^many-1 TICKET-8 24 Dec 2999 clicks: 2 events/ })
      .waitFor()
    await people.getByRole('row', { name: /^nobody TICKET-9 31 Dec 2999 nowhere/ }).waitFor()
    await expectAccessible('many people')
    await page()
      .getByLabel(/^Type erase 2 people/)
      .fill('erase 2 people')
    await button('Erase 2 people').click()
    await seen('2 requests accepted. 2 of the 3 people in the file have a request.')
    await page().keyboard.press('Escape')
    await seen('The results are not saved')
    await page().goBack()
    await people.getByRole('row', { name: /^many-1 / }).waitFor()
    expect(await page().evaluate('location.hash')).toBe('#/people')
    const lines = (await downloaded('Save the results with the salts', own.folder))
      .trimEnd()
      .split(/\r?\n/)
    expect(lines).toEqual([
      '\uFEFFvalue,reference,due,stream,events,outputs,outputs_keep_until,erasure,salt,problem',
      expect.stringMatching(
        /^many-1,TICKET-8,2999-12-24,clicks,2,clicks-0: \d; clicks-1: \d; clicks-2: \d,[\d-]*,[\w-]{36},\w[\w-]{42},$/,
      ),
      expect.stringMatching(
        /^many-1,TICKET-12,2999-12-24,clicks,2,clicks-0: .*,[\w-]{36},\w[\w-]{42},$/,
      ),
      expect.stringMatching(
        /^many;2,TICKET-9,2999-12-31,clicks,1,clicks-0: .*,[\w-]{36},\w[\w-]{42},$/,
      ),
      'nobody,TICKET-9,2999-12-31,,0,,,,,no event was found: not erased',
    ])
    const [one, two] = lines.slice(1).map((line) => line.split(',').slice(7, 9))
    expect(two).toEqual(one) // the same request and salt
    await page().keyboard.press('Escape')
    await find('many-1')
    await seen('Erased: no service of Weir decrypts')
    await goTo('Erasures')
    await page().locator('.erasures > li', { hasText: 'TICKET-9' }).waitFor()
  })

  test('a file in which nobody can be erased says so, and what to do', async () => {
    await goTo('People')
    await button('Erase many people …').click()
    await choose('value\nnobody\nmany-1\n')
    await button('Search 2 people in all streams').click()
    await seen('Nobody in this file can be erased: they were found nowhere, or are erased already.')
    expect(
      await page()
        .getByRole('button', { name: /^Erase \d/ })
        .count(),
    ).toBe(0)
    await page()
      .getByLabel(/^Record that nothing was found of 1 person/)
      .check()
    await expectAccessible('recording people of a file')
    await page()
      .getByLabel(/^Type record 1 person/)
      .fill('record 1 person')
    await button('Record 1 person').click()
    await seen('nothing in clicks: recorded')
    const lines = (await downloaded('Save the results with the salts', scene().own.folder))
      .trim()
      .split(/\r?\n/)
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(
        /^nobody,,,clicks,0,clicks-0: 0; clicks-1: 0; clicks-2: 0,,[\w-]{36},\w[\w-]{42},$/,
      ),
      'many-1,,,,0,,,,,already erased',
    ])
    await page().keyboard.press('Escape')
  })

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
    await erasure.getByRole('button', { name: 'Change the due date of TICKET-10' }).click()
    const due = erasure.getByLabel('Due')
    await due.fill('2001-01-31')
    await seen('This day is already past (in UTC). The request is overdue from the start.')
    await expectAccessible('changing a due date')
    await due.fill('2999-01-31')
    await button('Save the due date').click()
    await erasure.getByText(/^due 31 Jan 2999$/).waitFor()
    await erasure.getByRole('button', { name: 'Change the due date of TICKET-10' }).click()
    await button('Remove the due date').click()
    await erasure.getByRole('button', { name: 'Add a due date of TICKET-10' }).waitFor()
    expect(await erasure.getByText(/^due /).count()).toBe(0)
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

  twoStreamTests(scene, hands)
}
