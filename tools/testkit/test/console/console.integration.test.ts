// The console in a real Chromium, as people use it: creating streams, watching an event, a privacy officer's day
// (officer.ts), deleting a stream. With WEIR_SCREENSHOTS=1 the test also takes the README's pictures.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { buildConsole } from '@weir/console/build'
import { siteFolder } from '@weir/docs'
import { buildSite } from '@weir/docs/site'
import { pollUntil } from '@weir/kit'
import {
  chromiumProgram,
  signUp,
  expectStatus,
  freshName,
  openConsole,
  textIn,
} from '../../src/index.ts'
import type { Account, ConsolePage, World } from '../../src/index.ts'
import { inSoak } from '../../src/scale.ts'
import { openOwnStack } from '../../src/world/own-stack.ts'
import type { OwnStack } from '../../src/world/own-stack.ts'
import { consoleHands, expectInRows, sendClicks, startConsoleWorld } from './console-hands.ts'
import type { Load } from './console-hands.ts'
import { fittingTests } from './console-fits.ts'
import { purposeTests } from './console-purposes.ts'
import { readersOutputTests } from './readers-output.ts'
import { documentTests } from './documents.ts'
import { officerByHandTests } from './officer-by-hand.ts'
import { officerTests } from './officer.ts'
import { requestTests } from './officer-requests.ts'

const program = chromiumProgram()
/** To measure on an idle machine: WEIR_TEST_SCALE=full CONSOLE_LOAD_SECONDS=60 npm test -- console.integration. */
const loadSeconds = Number(process.env['CONSOLE_LOAD_SECONDS'] ?? 6)
const longestTaskMsMax = process.env['CONSOLE_LOAD_SECONDS'] === undefined ? 1_000 : 100
jest.setTimeout(180_000)

let own: OwnStack
let world: World
let account: Account
let weir: ConsolePage

const hands = consoleHands(() => weir)
const { page, goTo, button, seen, saidOnce, picture, expectAccessible } = hands
const sendEvents = (load: Load): Promise<number> => sendClicks({ world, account, weir }, load)

if (program === undefined)
  test('NOT RUN: there is no Chromium here; tools/testkit/ci/prepare.sh installs it where apt has it', () => {
    throw new Error('the console was not tried in a browser')
  })
else
  describe('the console in Chromium', () => {
    beforeAll(async () => {
      await Promise.all([buildConsole(), buildSite(siteFolder)])
      own = await openOwnStack('console', { 'log.cleaner.backoff.ms': 200 })
      world = await startConsoleWorld(own)
      account = await signUp(world.auth.url, freshName('acme'))
      await account.contracts()
      weir = await openConsole(program, `${world.output.url}/console`)
    })

    afterAll(async () => {
      await weir?.close()
      await own?.close()
    })

    test('a key that is not the account’s is refused, and says so', async () => {
      await page().getByLabel('API key').waitFor()
      await expectAccessible('sign-in')
      await page().getByLabel('API key').fill('weir_wrong')
      await button('Sign in').click()
      await saidOnce('This key is unknown here, expired or deleted.')
    })

    test('with the account’s own key one is in, and nothing of it is stored', async () => {
      await page().getByLabel('API key').fill(account.apiKey)
      await page().keyboard.press('Enter')
      await page().getByRole('heading', { name: 'Streams' }).waitFor()
      const kept =
        'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])'
      expect(await page().evaluate(kept)).not.toContain(account.apiKey)
      expect(await page().context().cookies()).toEqual([])
    })

    test('a page with nothing to show says why, and leads to what comes first', async () => {
      for (const name of ['Live', 'Usage', 'Erasures']) {
        await goTo(name)
        await seen('There is no stream yet. Owners and developers create streams on the page')
        await page().locator('.empty').getByRole('link', { name: 'Streams' }).click()
        await seen('There is no stream yet. Create a stream.')
        expect(await button('New stream').isVisible()).toBe(true)
      }
    })

    test('a stream and its outputs are made, each shown with what it opens', async () => {
      await button('New stream').click()
      await page().getByLabel('Name').fill('clicks')
      await button('Create stream').click()
      await seen('Created clicks')
      await page().keyboard.press('Escape')
      for (const level of ['0', '1', '2']) {
        await button('New output').click()
        await page().getByRole('textbox', { name: 'Name' }).fill(`clicks-${level}`)
        await page().getByRole('textbox', { name: 'Levels' }).fill(level)
        await button('Create output').click()
        await seen(`Created clicks-${level}`)
        await page().keyboard.press('Escape')
      }
      await seen('decrypts level 2 and below')
      await expectAccessible('streams')
    })

    test('a test event is seen as sent, sealed, opened by level, and held back where consent lacks', async () => {
      await page().getByRole('link', { name: 'Watch live' }).click()
      await seen('Waiting for events of')
      await button('Send a test event').click()
      await hands.fill({ 'consent levels': '0, 1', producerSessionId: '', 'customer/id': 'no' })
      await button('Send to clicks').click()
      await saidOnce('The key field producerSessionId is empty')
      await hands.fill({ producerSessionId: 'session-0001', 'customer/id': 'customer-00042' })
      await expectAccessible('test event')
      await button('Send to clicks').click()
      const row = page().getByRole('row', { name: /^customer\/id/ })
      await pollUntil(async () => (await row.getByText('decrypted').count()) === 2, {
        deadlineMs: 60_000,
      })
      expect(await row.getByText('customer-00042').count()).toBe(3)
      expect(await row.getByText('encrypted').count()).toBe(1)
      const person = page().getByRole('row', { name: /^producerSessionId/ })
      expect(await person.getByText('encrypted').count()).toBe(2)
      expect(await person.getByText('decrypted').count()).toBe(1)
      await seen('consent lacks 2')
      await sendEvents({ perSecond: 100, isOver: (seconds) => seconds >= 1 })
      await page().getByRole('listbox').focus()
      await page().keyboard.press('End') // selects the first event
      await seen('consent lacks 2')
      await expectInRows(page())
      await picture('live', ['light', 'dark'])
      await expectAccessible('live')
    })

    test('an event can be copied as the curl command that sends it again', async () => {
      await button('Show as curl').click()
      await button('Copy').click()
      await seen('Copied')
      const copied = await page().evaluate('navigator.clipboard.readText()')
      expect(copied).toContain(`${world.ingest.url}/event`)
      expect(copied).toContain('customer-00042')
      expect(copied).toContain('token clicks')
      expect(copied).not.toContain(account.apiKey)
      await button('Close').click()
    })

    test('a refusal is shown at the field that it is about', async () => {
      await goTo('Contracts')
      await page().getByRole('link', { name: 'clickstream', exact: true }).click()
      await page().getByLabel('url').fill('shop.example.com')
      await button('Send to clicks').click()
      await saidOnce("regex clickstream/url 'shop.example.com' doesnt match")
      expect(await page().getByLabel('url').getAttribute('aria-invalid')).toBe('true')
      const help = page().getByRole('link', { name: 'What to do' })
      expect(await help.getAttribute('href')).toContain('validation_failed')
      await picture('contracts')
      await expectAccessible('contracts')
      await page().getByLabel('consent levels').fill('300')
      await button('Send to clicks').click()
      await saidOnce('svcMeta/consentLevels has a level outside 0 to 255')
      expect(await page().getByLabel('consent levels').getAttribute('aria-invalid')).toBe('true')
      const { body } = await account.call('GET', '/v2/streams/clicks')
      expect(body['credentials']).toHaveLength(1) // the credentials for sending are deleted
    })

    test('a preview tells what a level would open', async () => {
      await goTo('Streams')
      await button('New output').click()
      await page().getByRole('textbox', { name: 'Levels' }).fill('1')
      await seen(/Of the newest 101 events/)
      await picture('preview')
      await expectAccessible('preview')
      await page().keyboard.press('Escape')
    })

    inSoak(() => {
      test('many events a second neither hold the page up nor fill its memory', async () => {
        await goTo('Live')
        await seen('Waiting for events of')
        await weir.longestTaskMs()
        const heap = await sendEvents({
          perSecond: 1_000,
          isOver: (seconds) => seconds >= loadSeconds,
        })
        expect(heap).toBeLessThan(200e6)
        expect(await weir.longestTaskMs()).toBeLessThan(longestTaskMsMax)
        await seen(/[1-9][\d,.]*K? received/)
        await button('Pause').click()
        await seen('paused')
        await page().getByPlaceholder('Filter by words').fill('no such words')
        await seen('None of the newest events')
        await page().getByPlaceholder('Filter by words').fill('')
      })
    })

    test('an arrow has the rate that events take it at', async () => {
      await goTo('Streams')
      let isSeen = false
      const sending = sendEvents({
        perSecond: 200,
        isOver: (seconds) => isSeen || seconds > 60,
      })
      await pollUntil(async () => (await page().locator('.picture .flowing').count()) === 4, {
        deadlineMs: 60_000,
      })
      await seen(/^[1-9][\d.,]* \/ s$/)
      await picture('streams', ['light', 'dark'])
      isSeen = true
      await sending
    })

    test('usage is shown', async () => {
      await goTo('Usage')
      await seen('Events stored')
      const total = page().locator('.totals dd', { hasText: /[1-9]\d\d/ })
      await total.first().waitFor()
      await page().locator('li:has-text("validation_failed: ") a[href*="/docs/errors/"]').waitFor()
      await picture('usage')
      await expectAccessible('usage')
    })

    test('a developer sees what the key may see: inputs live, and outputs without their secrets', async () => {
      const made = await account.call('POST', '/v2/api-keys', { name: 'team', role: 'developer' })
      await button('Sign out').click()
      await page()
        .getByLabel('API key')
        .fill(textIn(expectStatus(made, 201).body, 'apiKey'))
      await page().keyboard.press('Enter')
      await page().getByRole('heading', { name: 'Streams' }).waitFor()
      await button('New output').click()
      await page().getByRole('textbox', { name: 'Name' }).fill('clicks')
      await button('Create output').click()
      const refusal = page().getByText('There is a stream named clicks already')
      await refusal.waitFor()
      await page().getByRole('textbox', { name: 'Name' }).fill('clicks-9')
      await refusal.waitFor({ state: 'detached' })
      await page().getByRole('textbox', { name: 'Levels' }).fill('256')
      await seen('Levels are whole numbers from 0 to 255.')
      expect(await button('Create output').isDisabled()).toBe(true)
      await page().getByRole('textbox', { name: 'Levels' }).fill('9')
      await button('Create output').click()
      await seen('It has no credentials yet. An owner of the account creates them.')
      await page().keyboard.press('Escape')
      await goTo('Live')
      await seen('clicks-9: only owners may watch it')
      expect(await account.call('DELETE', '/v2/streams/clicks/outputs/clicks-9')).toMatchObject({
        status: 200,
      })
    })

    purposeTests(() => account, hands)
    officerTests(() => ({ own, world, account, weir }), hands)
    requestTests(() => ({ own, world, account, weir }), hands)

    fittingTests(hands)

    documentTests(() => ({ page: page(), authUrl: world.auth.url }))

    inSoak(() => officerByHandTests(() => ({ world, account, program })))

    readersOutputTests(() => ({ world, account }), hands)

    test('a stream is deleted once its name has been typed', async () => {
      await goTo('Streams')
      await button('Delete clicks').click()
      expect(await page().locator('dialog button.danger').isDisabled()).toBe(true)
      await seen(/^\d+ requests to erase or withdraw$/)
      await page().getByLabel('Type clicks to confirm').fill('clicks')
      await expectAccessible('deleting')
      await page().locator('dialog button.danger').click()
      await seen('There is no stream yet')
    })

    test('signing out forgets the key, and the page had no problem that it kept to itself', async () => {
      await button('Sign out').click()
      expect(await page().getByLabel('API key').inputValue()).toBe('')
      expect(weir.problems).toEqual([])
    })
  })
