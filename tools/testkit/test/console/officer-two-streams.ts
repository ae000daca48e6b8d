// A privacy officer handles a person in two streams in one window.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { unzipSync } from 'fflate'
import { asObject, expectStatus } from '../../src/index.ts'
import { sendFor } from './console-hands.ts'
import type { consoleHands } from './console-hands.ts'
import type { OfficerScene } from './officer.ts'

/** A search result without events, as if the erasure had deleted the links that find the person. */
const gone = {
  streams: ['clicks', 'shop'].map((stream) => ({ stream, by: [], held: [] })),
}

// A script for the page: the connection breaks during the download from the stream `shop`.
const cutOff = `
  window.fetchAll = window.fetch
  window.fetch = (url, ...more) => {
    if (!url.includes('/shop/subject-access?')) return window.fetchAll(url, ...more)
    const parts = [new TextEncoder().encode('event,time')]
    const pull = (to) => parts.length > 0 ? to.enqueue(parts.pop()) : to.error(new Error('It is cut off'))
    return Promise.resolve(new Response(new ReadableStream({ pull })))
  }
`

export function twoStreamTests(scene: () => OfficerScene, hands: ReturnType<typeof consoleHands>) {
  const { page, goTo, button, seen, find, confirm, downloaded, expectAccessible } = hands

  /** Checks the levels that are shown for events and fields, in the stream and in an output. */
  async function expectLevels(): Promise<void> {
    const clicks = page().getByRole('region', { name: 'Stream clicks' })
    await clicks
      .getByText(
        'Consent that the events were sent with: level 0 in 1 event, level 1 in 1 event, level 2 (marketing e-mails) in 1 event, level 5 in 1 event.',
      )
      .waitFor()
    for (const name of [
      /^clicks stream 1 encrypted: customer\/id of level 0; producerSessionId of level 1 /,
      /^clicks-2 output for consent to level 2 \(marketing e-mails\); tags: mail agency 1 decrypted: customer\/id of level 0; producerSessionId of level 1 /,
    ])
      await clicks.getByRole('row', { name }).waitFor()
  }

  test('a consent is withdrawn in two streams in one window, also where no output knows its level', async () => {
    const { own, world, account } = scene()
    const shop = { name: 'shop', retentionHours: 'broker' }
    expectStatus(await account.call('POST', '/v2/streams', shop), 201)
    await account.output('shop', 'shop-9', { consentLevels: [9] })
    const readBy = { tags: ['mail agency'] }
    const tagging = account.call('PATCH', '/v2/streams/clicks/outputs/clicks-2', readBy)
    expectStatus(await tagging, 200)
    await goTo('Streams')
    await page().getByRole('link', { name: 'as set in Kafka' }).first().waitFor()
    for (const stream of ['clicks', 'shop']) await sendFor({ world, account }, 'two-1', 1, stream)
    await goTo('People')
    await pollUntil(
      async () => {
        await find('two-1')
        await seen(/events found for two-1/)
        return (
          (await page()
            .getByRole('row', { name: /^clicks-2 output .* 1 decrypted/ })
            .count()) === 1
        )
      },
      { deadlineMs: 60_000, what: 'that an output has the event' },
    )
    await expectLevels()
    await button('Withdraw a consent in all 2 streams …').click()
    await page()
      .getByLabel(/^Level 5 no output or field in these streams has it now/)
      .waitFor()
    await seen('two-1: 1 event found in clicks, 1 event found in shop.')
    await page()
      .getByLabel(/^Level 2 \(marketing e-mails\) of the output clicks-2/)
      .check()
    await page()
      .getByLabel(/^Level 9 of the output shop-9/)
      .check()
    await expectAccessible('withdrawing in two streams')
    await confirm('two-1')
    await button('Withdraw').click()
    await page().getByRole('heading', { name: 'Withdrawal accepted' }).waitFor()
    const text = await downloaded('Save with the salt as a file', own.folder)
    expect(
      text.match(
        /^Stream: (clicks|shop)\nWithdrawal: .*\nLevels: 2 \(marketing e-mails\), 9\nAcc.*\nSalt: /gm,
      ),
    ).toHaveLength(2)
    await page().keyboard.press('Escape')
    await pollUntil(
      async () =>
        (await page()
          .getByText(/^Withdrawn: level 2/)
          .count()) === 2,
      {
        deadlineMs: 60_000,
      },
    )
  })

  test('all that is stored in two streams is one file, and none without all of its parts', async () => {
    const all = button('Download all (2 streams)')
    const downloads = '**/v2/streams/shop/subject-access?*'
    await page().route(downloads, (route) => route.fulfill({ status: 410, body: 'It is broken' }))
    await all.click()
    await seen('No file was saved. The download of shop failed: It is broken.')
    await page().unroute(downloads)
    await page().evaluate(cutOff)
    await all.click()
    await seen('No file was saved. The download of shop failed: It is cut off.')
    await page().evaluate('window.fetch = window.fetchAll')
    const downloading = page().waitForEvent('download')
    await all.click()
    expect((await downloading).suggestedFilename()).toBe('two-1-without-others.zip')
    const file = join(scene().own.folder, 'all.zip')
    await (await downloading).saveAs(file)
    await seen('Saved the events of 2 streams.')
    const files = Object.entries(unzipSync(await readFile(file)))
    const texts = new Map(files.map(([name, bytes]) => [name, Buffer.from(bytes).toString()]))
    expect([...texts.keys()]).toEqual(['two-1-clicks.csv', 'two-1-shop.csv', 'README.txt'])
    for (const stream of ['clicks', 'shop'])
      expect(texts.get(`two-1-${stream}.csv`)).toMatch(/^\uFEFFevent,time,[^]*,two-1,/)
    const where = await downloaded('Download where it is stored (CSV)', scene().own.folder)
    expect(where).toMatch(/^\uFEFFstream,place,kind,events_found,[^]*\r\nshop,shop,stream,1,0,,/)
    expect(where).toMatch(
      /^clicks,clicks-2,output,1,0,customer\/id of level 0.*,2 \(marketing e-mails\),mail agency,,\d{4}-\d\d-\d\d,/m,
    )
    expect(texts.get('README.txt')).toContain('All streams of the account were searched.')
    await expectAccessible('a copy of all streams')
  })

  test('a person is erased from two streams in one window, with the salts in one file', async () => {
    const { own } = scene()
    await button('Erase from all 2 streams …').click()
    await seen('two-1: 1 event found in clicks, 1 event found in shop.')
    await seen('The search found no event of this person in these outputs: shop-9.')
    await expectAccessible('erasing from two streams')
    await page().getByLabel('Reference').fill('TICKET-11')
    await confirm('two-1')
    await button('Erase').click()
    await seen('1 event found in shop.')
    await seen(
      /^The search of .* UTC found no decrypted personal field of the person in this output: shop-9\. Events that arrived later are not counted\.$/,
    )
    const text = await downloaded('Save with the salt as a file', own.folder)
    expect(
      text.match(/^\nStream: (clicks|shop)\nErasure: .*\nReference: TICKET-11\nAcc.*\nSalt: /gm),
    ).toHaveLength(2)
    await page().keyboard.press('Escape')
    await pollUntil(
      async () =>
        (await page()
          .getByText(/^Erased(, by a request .*)?: (as soon as .*, )?no service/)
          .count()) === 2,
      {
        deadlineMs: 60_000,
      },
    )
    await goTo('Erasures')
    await page().getByPlaceholder('Reference, id or date').fill('ticket-11')
    await seen('1 event found in shop')
  })

  test('a due date is changed in all requests with the same reference', async () => {
    const requests = page().locator('.erasures > li')
    const due = (day: string) => requests.getByText(`due ${day}`, { exact: true })
    const change = requests.first().getByRole('button', { name: 'Change reference or due date' })
    await change.click()
    const others = requests.first().getByLabel('Also change 1 other request with the reference')
    expect(await others.isChecked()).toBe(true)
    await requests.first().getByLabel('Due').fill('2999-03-01')
    await requests.first().getByRole('textbox', { name: 'Reference' }).fill('TICKET-12')
    await expectAccessible('changing several due dates')
    await button('Save').click()
    await page().getByPlaceholder('Reference, id or date').fill('ticket-12')
    await due('1 Mar 2999').nth(1).waitFor()
    await change.click()
    await others.uncheck()
    await requests.first().getByLabel('Due').fill('2999-03-02')
    await button('Save').click()
    await due('2 Mar 2999').waitFor()
    expect(await due('1 Mar 2999').count()).toBe(1)
    await change.click()
    await others.waitFor()
    expect(await others.isChecked()).toBe(false) // the other request has another due date
    await button('Cancel').click()
  })

  test('a value that finds nothing after its erasure is not said to be in no output', async () => {
    const searches = '**/v2/people/searches/*'
    await page().route(searches, async (route) => {
      const response = await route.fetch()
      const body = asObject(await response.json())
      await route.fulfill({ response, json: { ...body, ...(body['streams'] ? gone : {}) } })
    })
    await goTo('People')
    await find('two-1')
    await seen('A search by this value no longer finds what is erased.')
    await seen(
      /^clicks: .*clicks-2 until \d+ \w{3,4} \d{4}.* Request accepted on .*: see the request$/,
    )
    await seen(/^shop: no output\./)
    expect(await page().getByText('Nothing was found in these streams').count()).toBe(0)
    await page().unroute(searches)
  })

  test('nothing is recorded in two streams in one window', async () => {
    await goTo('People')
    await find('two-nowhere')
    const recording = button('Record that nothing was found in all 2 streams …')
    await recording.waitFor()
    const before = page().viewportSize()
    await page().setViewportSize({ width: 390, height: 800 })
    const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await page().evaluate(wide)).toBe(0)
    if (before !== null) await page().setViewportSize(before)
    await recording.click()
    await seen('two-nowhere: 0 events found in clicks, 0 events found in shop.')
    const compared = page().getByRole('dialog').getByRole('listitem')
    await compared.filter({ hasText: /^clickstream: producerSessionId; not .*customer/ }).waitFor()
    await confirm('two-nowhere')
    await page().locator('dialog button[type=submit]').click()
    await page().getByRole('heading', { name: 'Record accepted' }).waitFor()
    const text = await downloaded('Save with the salt as a file', scene().own.folder)
    expect(text.match(/^Stream: (clicks|shop)\nRecord: .*\nAcc.*\nSalt: /gm)).toHaveLength(2)
    await page().keyboard.press('Escape')
  })

  test('requests are still refreshed after one of the streams was deleted', async () => {
    const { account } = scene()
    await goTo('Erasures')
    await seen(/found in shop$/)
    for (const path of ['/outputs/shop-9', ''])
      expectStatus(await account.call('DELETE', `/v2/streams/shop${path}`), 200)
    await pollUntil(
      async () =>
        (await page()
          .getByText(/found in shop$/)
          .count()) === 0,
      {
        deadlineMs: 60_000,
      },
    )
    expect(await page().locator('.problems').count()).toBe(0)
    await seen(/^The stream shop was deleted\. Its requests and their receipts were deleted, too\./)
  })
}
