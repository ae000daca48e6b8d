// A privacy officer erases many people with a file, and uses the file again.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { asObject, expectStatus } from '../../src/index.ts'
import { sendFor } from './console-hands.ts'
import type { consoleHands } from './console-hands.ts'
import type { OfficerScene } from './officer.ts'

export function manyTests(scene: () => OfficerScene, hands: ReturnType<typeof consoleHands>) {
  const { page, goTo, button, seen, find, downloaded, expectAccessible } = hands
  /** Writes the text to the same file each time, and chooses this file, as after a correction. */
  const choose = async (text: string): Promise<void> => {
    const file = join(scene().own.folder, 'people.csv')
    await writeFile(file, text)
    const choosing = page().waitForEvent('filechooser')
    await page()
      .getByLabel(/^A CSV file/)
      .click()
    await (await choosing).setFiles(file)
  }

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
    await seen('1 person was found nowhere: see the top of the list.')
    await button('Show who was found nowhere').click()
    const [, first] = await people.getByRole('row').allInnerTexts()
    expect(first).toMatch(/^nobody\b/)
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
    expect(two).toEqual(one) // both lines have the same request and salt
    await page().keyboard.press('Escape')
    await find('many-1')
    await seen(/^Erased(, by a request .*)?: (as soon as .*, )?no service of Weir decrypts/)
    await seen(/^Request accepted on .* UTC, when 2 events were found: see the request$/)
    await goTo('Erasures')
    await page().locator('.erasures > li', { hasText: 'TICKET-9' }).waitFor()
  })

  test('a file in which nobody can be erased says so, and what to do', async () => {
    await goTo('People')
    await button('Erase many people …').click()
    await choose('value\nnobody\nmany-1\n')
    await button('Search 2 people in all streams').click()
    await seen('Nobody in this file can be erased: they were found nowhere, or are erased already.')
    await seen(/^clicks: 2 events, erased already on \d+ \w+ \d+, see the request$/)
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
      expect.stringMatching(
        /^many-1,,,clicks,2,clicks-0: .*,[\w-]{36},,erased already on \d{4}-\d\d-\d\d$/,
      ),
    ])
    await page().keyboard.press('Escape')
  })

  test('a file of results says whose request exists already, also from another session', async () => {
    const { world, account } = scene()
    await sendFor({ world, account }, 'many-4', 1)
    const asked = { keyFieldValue: 'many-4', reference: 'TICKET-13' }
    const erased = await account.call('POST', '/v2/streams/clicks/erasures', asked)
    const { id } = asObject(expectStatus(erased, 201).body)
    await button('Erase many people …').click()
    await choose(
      `value,stream,erasure,salt\nmany-4,clicks,${String(id)},\nnobody-4,clicks,${crypto.randomUUID()},\nnobody,clicks,,\n many-4,,,\n`,
    )
    await button('Search 4 people in all streams').click()
    await seen('4 of 4 people searched.')
    await seen('nowhere: check the spelling, or erased before')
    await seen('nowhere: in the file, the value starts or ends with a space')
    await seen(/^clicks: nothing found, recorded already on \d+ \w+ \d+, see the request$/)
    await page()
      .getByLabel(/^Record that nothing was found of 2 people/)
      .waitFor()
    await page()
      .getByRole('row', { name: /^many-4 .*erased already on/ })
      .getByRole('link', { name: 'see the request' })
      .click()
    await page().locator('.erasures > li', { hasText: 'TICKET-13' }).waitFor()
  })
}
