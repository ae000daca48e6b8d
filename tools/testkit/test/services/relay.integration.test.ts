// Runs the relay of docs/guide/producers.md as a site does, with a real Chromium.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { freePort, REPOSITORY } from '@weir/devstack'
import { pollUntil } from '@weir/kit'
import { chromiumProgram, exampleEvent, openConsole } from '../../src/index.ts'
import type { ConsolePage, TestStream } from '../../src/index.ts'
import { openProducers } from './producers-scene.ts'
import type { ProducersScene } from './producers-scene.ts'

jest.setTimeout(120_000)
const chromium = chromiumProgram()
const program = join(REPOSITORY, 'examples/producers/relay.mjs')
const example = join(REPOSITORY, 'examples/producers/site.mjs')
if (chromium === undefined)
  test('NOT RUN: there is no Chromium here; tools/testkit/ci/prepare.sh installs it where apt has it', () => {
    throw new Error('the relay was not tried in a browser')
  })
else
  describe('the relay for browsers, with Chromium', () => {
    /** The site. Each page sets the cookie of a visitor who agreed to the levels 0 and 1. */
    const site = createServer((_, response) => {
      response.setHeader('set-cookie', 'consent=0.1; HttpOnly; SameSite=Lax')
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>shop</title>')
    })
    let scene: ProducersScene
    let stream: TestStream
    let origin: string
    let url: string
    let browser: ConsolePage
    /** What the relays have written to standard error. */
    let log = ''
    const stops: (() => unknown)[] = []

    beforeAll(async () => {
      scene = await openProducers()
      stops.push(() => scene.stop())
      stream = await scene.account.input('pages')
      await once(site.listen(0), 'listening')
      const address = site.address()
      const port = typeof address === 'object' ? address?.port : undefined
      origin = `http://127.0.0.1:${port}`
      stops.push(() => site.close())
      url = await startRelay(stream)
      browser = await openConsole(chromium, origin)
      stops.push(() => browser.close())
    })
    afterAll(async () => {
      for (const stop of stops.toReversed()) await stop()
    })

    async function startRelay(
      input: TestStream,
      SCHEMA = 'clickstream',
      SITE = `${origin}/`,
    ): Promise<string> {
      const PORT = String(await freePort())
      const env = { ...scene.settingsOf(input), SITE, SCHEMA, PORT }
      const relay = spawn(process.execPath, [program], { env })
      stops.push(() => relay.kill())
      relay.stderr.on('data', (chunk) => (log += String(chunk)))
      const [said] = await once(createInterface({ input: relay.stdout }), 'line')
      expect(said).toBe(`The relay listens on port ${PORT}`)
      return `http://127.0.0.1:${PORT}`
    }

    const logged = (line: string): Promise<true> =>
      pollUntil(async () => log.includes(line), { deadlineMs: 60_000, what: `the line «${line}»` })

    const inPage = (script: string): Promise<unknown> => browser.page.evaluate(script)
    const bodyOf = async (eventType: string, parts: object = {}): Promise<string> =>
      JSON.stringify({
        ...(await exampleEvent('clickstream')),
        svcMeta: { consentLevels: [0, 1, 2] },
        eventType,
        ...parts,
      })
    /** Returns the response's status and text, or the error's name if the page may not read the response. */
    const fetched = (to: string, body: string, more = `credentials: 'include'`): Promise<unknown> =>
      inPage(
        `fetch(${JSON.stringify(to)}, { method: 'POST', body: ${JSON.stringify(body)}, ${more} })
          .then(async (answer) => [answer.status, answer.headers.get('relay-warning') ?? await answer.text()], (error) => error.name)`,
      )
    const beacon = (to: string, body: string): Promise<unknown> =>
      inPage(`navigator.sendBeacon(${JSON.stringify(to)}, ${JSON.stringify(body)})`)

    test('a page reaches neither ingest nor auth, whatever sendBeacon says', async () => {
      const token = await scene.account.token(stream)
      const headers = `headers: { authorization: 'Bearer ${token}', 'svc-schema-id': 'clickstream' }`
      expect(await fetched(`${scene.world.ingest.url}/event`, await bodyOf('x'), headers)).toBe(
        'TypeError',
      )
      expect(await fetched(`${scene.world.auth.url}/auth`, '{}')).toBe('TypeError')
      expect(await beacon(`${scene.world.ingest.url}/event`, await bodyOf('x'))).toBe(true)
    })

    test('events are stored with the consent that the site knows, not with that of the page', async () => {
      expect(await fetched(url, await bodyOf('fetched'))).toEqual([204, ''])
      expect(await beacon(url, await bodyOf('beacon'))).toBe(true)
      const missing = 'An event came without a cookie `consent`: no output gets it'
      expect(await fetched(url, await bodyOf('no cookie'), `credentials: 'omit'`)).toEqual([
        204,
        missing,
      ])
      const asJson = `credentials: 'omit', headers: { 'content-type': 'application/json' }`
      expect(await fetched(url, await bodyOf('preflight'), asJson)).toEqual([204, missing])
      expect(await scene.storedIn(stream, 4)).toEqual([
        'beacon 0,1',
        'fetched 0,1',
        'no cookie ',
        'preflight ',
      ])
      expect(log).toBe(`${missing} (later ones in this hour are not logged)\n`)
    })

    test('a cookie of another form gives no level, not the first of its levels', async () => {
      const other = await scene.account.input('malformed')
      const to = await startRelay(other)
      const malformed = 'An event came with a cookie `consent` that is not of the form 0.1'
      for (const cookie of [
        'consent=0,1',
        'consent="0.1"',
        'consent=0.',
        'a=1; consent=1.0; b=2',
      ]) {
        const options = { method: 'POST', headers: { origin, cookie }, body: await bodyOf('x') }
        const { status, headers } = await fetch(to, options)
        expect([status, headers.get('relay-warning')]).toEqual([
          204,
          cookie.includes('=1.0') ? null : `${malformed}: no output gets it`,
        ])
      }
      expect(await scene.storedIn(other, 4)).toEqual(['x ', 'x ', 'x ', 'x 1,0'])
      expect(
        log.split(`${malformed}: no output gets it (later ones in this hour are not logged)\n`),
      ).toHaveLength(2)
    })

    test('a page gets the sentence of a refusal', async () => {
      expect(await fetched(url, await bodyOf('x', { url: 'nowhere' }))).toEqual([
        400,
        expect.stringContaining(`regex clickstream/url 'nowhere' doesnt match`),
      ])
      await logged('Ingest refused an event: validation_failed; its sentence is in the response')
      expect(log).not.toContain('nowhere')
      expect(await fetched(url, 'hello')).toEqual([400, 'The body is not JSON'])
      for (const body of ['null', '5'])
        expect(await fetched(url, body)).toEqual([400, 'The body is not a JSON object'])
      expect(await fetched(url, `[${await bodyOf('x')}]`)).toEqual([
        400,
        'The body is a JSON array; send each event alone',
      ])
      expect(await fetched(url, 'x'.repeat(65_537))).toEqual([
        413,
        'An event has at most 65536 bytes',
      ])
    })

    test('a page may read when to send an event again', async () => {
      const limited = await scene.account.input('limited', {
        limits: { eventRate: '1', eventCount: '1000' },
      })
      const to = await startRelay(limited)
      const body = await bodyOf('again')
      const options = `{ method: 'POST', body: ${JSON.stringify(body)}, credentials: 'include' }`
      const once = `fetch(${JSON.stringify(to)}, ${options}).then((answer) => [answer.status, answer.headers.get('retry-after')])`
      await pollUntil(async () => JSON.stringify(await inPage(once)) === '[429,"1"]', {
        deadlineMs: 60_000,
        everyMs: 0,
        what: 'the response 429 with Retry-After',
      })
    })

    test('the example site asks for consent, and its page sends an event with it', async () => {
      const visits = await scene.account.input('visits')
      const PORT = String(await freePort())
      const shop = `http://127.0.0.1:${PORT}`
      const RELAY = await startRelay(visits, 'clickstream', shop)
      const { env } = process
      const own = spawn(process.execPath, [example], { env: { ...env, PORT, RELAY } })
      stops.push(() => own.kill())
      await once(createInterface({ input: own.stdout }), 'line')
      const { page } = browser
      await page.goto(shop)
      const before = log
      for (const answer of ['To run and to improve the shop', 'Only to run the shop', 'No']) {
        await page.getByRole('button', { name: answer }).click()
        await page.waitForURL(shop)
        await page.getByRole('button', { name: 'Buy' }).click()
        await page.getByText('204').waitFor()
      }
      const stored = ['button_click ', 'button_click 0', 'button_click 0,1']
      expect(await scene.storedIn(visits, 3)).toEqual(stored)
      expect(log).toBe(before)
      const options = { method: 'POST', body: 'levels=0.1' }
      expect((await fetch(shop, options)).status).toBe(403)
      await page.goto(origin)
    })

    test('the log says that SCHEMA names no contract', async () => {
      const mistyped = await startRelay(stream, 'clickstreem')
      const options = { method: 'POST', headers: { origin }, body: await bodyOf('x') }
      expect((await fetch(mistyped, options)).status).toBe(400)
      await logged(
        'Ingest refused an event: unknown_schema_id, because it has no active contract clickstreem (SCHEMA)\n',
      )
    })

    test('another origin is refused', async () => {
      const foreign = origin.replace('127.0.0.1', 'localhost')
      const headers = { origin: foreign }
      const answer = await fetch(url, { method: 'POST', headers, body: await bodyOf('foreign') })
      expect([answer.status, await answer.text()]).toEqual([403, 'Only for pages of the site'])
      await browser.page.goto(foreign)
      expect(await fetched(url, await bodyOf('foreign'))).toBe('TypeError')
      expect(log.split(`Refused: the origin ${foreign}, because SITE is ${origin}\n`)).toHaveLength(
        2,
      )
    })

    test('the relay names the settings that are missing', async () => {
      const relay = spawn(process.execPath, [program], { env: { SITE: origin } })
      const [line] = await once(createInterface({ input: relay.stderr }), 'line')
      expect(line).toBe('Not set: SCHEMA, WEIR_BILLING_ID, WEIR_CLIENT_ID, WEIR_CLIENT_SECRET')
    })

    test('the relay says in one line that its port is wrong or taken', async () => {
      const env = { ...scene.settingsOf(stream), SITE: origin, SCHEMA: 'clickstream' }
      const taken = new URL(url).port
      for (const [PORT, sentence] of [
        ['80a', 'PORT must be a whole number up to 65535'],
        [taken, `The relay cannot listen on port ${taken}: EADDRINUSE`],
      ]) {
        const relay = spawn(process.execPath, [program], { env: { ...env, PORT } })
        const [line] = await once(createInterface({ input: relay.stderr }), 'line')
        expect(line).toBe(sentence)
      }
    })

    test('nobody but the site’s log hears of its credentials', async () => {
      const wrong = await startRelay({ ...stream, clientSecret: 'wrong' })
      await browser.page.goto(origin)
      expect(await fetched(wrong, await bodyOf('x'))).toEqual([502, 'The event could not be sent'])
    })
  })
