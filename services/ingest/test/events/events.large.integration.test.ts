// POST /events with bodies that are not kept completely in memory. Memory stays bounded, third-party clients get their
// responses, and events stored before a disconnect remain.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import * as http from 'node:http'
import * as http2 from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGzip } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Contract } from '@weir/contracts'
import { pollUntil } from '@weir/kit'
import { compiledExample, inSoak, measured, scale } from '@weir/testkit'
import { framed } from '../support/batches.ts'
import type { BatchAnswer, FramingName } from '../support/batches.ts'
import { metricOf } from '../support/admin.ts'
import { connect, protocols } from '../support/clients.ts'
import { eventOf, expectAccepted, goodRequest, startSceneApart } from '../support/scene.ts'
import type { ApartScene } from '../support/scene.ts'

const run = promisify(execFile)
const mebibyte = 1_048_576
const bodyBytes = scale(256, 48) * mebibyte
/** The permitted growth of resident memory. Most of it is memory that V8 has not collected yet. */
const grownBytesMax = measured(64 * mebibyte)
/** The bytes of one request's events that may be in flight to Kafka. Their records are a little larger. */
const onTheirWayMax = 2 * mebibyte + mebibyte
/** The number of 1 MiB chunks in one event, which is much larger than `onTheirWayMax`. */
const piecesWithoutEnd = scale(300, 50)
const python = join(import.meta.dirname, '../../../../.weir/venv/bin/python')

describe.each(scale(['own', 'node'] as const, ['own'] as const))('HTTP/2 by %s', (server) => {
  let scene: ApartScene
  let contract: Contract
  let folder: string
  let streams = 0
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weir-events-'))
    // With a small young generation, the process needs little more memory than the data that it keeps.
    const options = { NODE_OPTIONS: '--max-semi-space-size=4' }
    scene = await startSceneApart({ env: { INGEST_HTTP: server, ...options } })
    contract = await compiledExample('clickstream')
  })
  afterAll(async () => {
    await scene?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  async function freshStream(): Promise<{ topic: string; token: string }> {
    const stream = await scene.account.input(`large-${(streams += 1)}`)
    return { topic: stream.topic, token: await scene.account.token(stream) }
  }

  const headersFor = (token: string, framing: FramingName): Record<string, string> => ({
    authorization: `Bearer ${token}`,
    'svc-schema-id': 'clickstream',
    'content-type': `application/x-${framing}`,
  })

  /** Opens a request. Its body is written as fast as the server reads it. */
  function open(
    protocol: 'HTTP/1.1' | 'HTTP/2',
    headers: http.OutgoingHttpHeaders,
  ): { to: Writable; answer: Promise<string>; cut(): void } {
    const { url } = scene.world.ingest
    if (protocol === 'HTTP/1.1') {
      const request = http.request(`${url}/events`, { method: 'POST', headers })
      const answer = new Promise<string>((resolve, reject) => {
        request.on('response', (response) => text(response).then(resolve, reject))
        request.on('error', reject)
      })
      return { to: request, answer, cut: () => void request.destroy() }
    }
    const session = http2.connect(url)
    session.on('error', () => {})
    const stream = session.request({ ':method': 'POST', ':path': '/events', ...headers })
    const answer = text(stream).finally(() => session.close())
    return { to: stream, answer, cut: () => session.destroy() }
  }

  function* repeated(piece: Buffer, times: number): Generator<Buffer> {
    for (let i = 0; i < times; i += 1) yield piece
  }

  const metric = (name: string): Promise<number> => metricOf(scene.world.ingest.adminUrl, name)
  const rss = (): Promise<number> => metric('process_resident_memory_bytes')

  /** Checks that only a small part of the sent body is kept in memory during the work. */
  async function expectLittleKept(work: () => Promise<void>): Promise<void> {
    const before = await rss()
    let [grown, inFlight, isOver] = [0, 0, false]
    const look = async (): Promise<boolean> => {
      grown = Math.max(grown, (await rss()) - before)
      inFlight = Math.max(inFlight, await metric('svc_ingest_in_flight_bytes'))
      return isOver
    }
    const watching = pollUntil(look, { deadlineMs: 120_000, everyMs: 50 })
    await work().finally(() => (isOver = true))
    await watching
    expect(inFlight).toBeLessThanOrEqual(onTheirWayMax)
    expect(grown).toBeLessThan(grownBytesMax)
  }

  /** Sends a body of at least this many bytes, with events of 8 KiB. */
  async function sendBody(bytes: number, large: Large): Promise<{ topic: string; events: number }> {
    const { framing, protocol, isZipped } = large
    const { topic, token } = await freshStream()
    const parts = (i: number) => ({ producerSessionId: `${i}`, referrer: 'r'.repeat(8_192) })
    const hundred = Array.from({ length: 100 }, async (_, i) =>
      framed(framing, await eventOf('clickstream', parts(i)), contract),
    )
    const some = Buffer.concat(await Promise.all(hundred))
    const times = Math.ceil(bytes / some.length)
    const encoding = isZipped ? { 'content-encoding': 'gzip' } : {}
    const { to, answer } = open(protocol, { ...headersFor(token, framing), ...encoding })
    const body = Readable.from(repeated(some, times))
    const sent = isZipped ? pipeline(body, createGzip({ level: 1 }), to) : pipeline(body, to)
    await Promise.all([sent, answer])
    expect(await answer).toBe(`{"accepted":${100 * times},"rejected":[]}`)
    return { topic, events: 100 * times }
  }
  type Large = { framing: FramingName; protocol: 'HTTP/1.1' | 'HTTP/2'; isZipped: boolean }

  const overHttp2: Large = { framing: 'avro-batch', protocol: 'HTTP/2', isZipped: false }
  const overHttp1: Large = { framing: 'ndjson', protocol: 'HTTP/1.1', isZipped: true }
  test.each(server === 'own' ? scale([overHttp2, overHttp1], [overHttp2]) : [overHttp2])(
    'little of a body is kept, however long it is: %j',
    async (large) => {
      await sendBody(bodyBytes / 4, large) // lets the heap grow to its usual size
      let sent = { topic: '', events: 0 }
      await expectLittleKept(async () => {
        sent = await sendBody(bodyBytes, large)
      })
      const ends = await scene.reader.admin.offsets.ends(sent.topic, {
        isolation: 'read_committed',
      })
      expect(ends.reduce((sum, end) => sum + end, 0n)).toBe(BigInt(sent.events))
    },
    120_000,
  )

  test('events that are rejected without end cost no memory either', async () => {
    const { token } = await freshStream()
    await expectLittleKept(async () => {
      const { to, answer } = open('HTTP/2', headersFor(token, 'ndjson'))
      const sent = pipeline(Readable.from(repeated(Buffer.from('nonsense\n'.repeat(100)), 300)), to)
      await Promise.all([sent, answer])
      const { accepted, rejected } = readAnswer(await answer)
      expect([accepted, rejected.length]).toEqual([0, 30_000])
    })
  })

  test('one event without an end is rejected, and what never ends costs no memory', async () => {
    const { token } = await freshStream()
    await expectLittleKept(async () => {
      for (const framing of ['ndjson', 'avro-batch'] as const) {
        const { to, answer } = open('HTTP/1.1', headersFor(token, framing))
        const body = repeated(Buffer.alloc(mebibyte, 0xff), piecesWithoutEnd)
        await Promise.all([pipeline(Readable.from(body), to), answer])
        expect(readAnswer(await answer)).toMatchObject({ accepted: 0, rejected: [{ status: 413 }] })
      }
    })
  })

  inSoak(() =>
    describe('clients that others wrote get the whole answer', () => {
      const events = scale(20_000, 6_000)
      let file: string
      let good = ''
      beforeAll(async () => {
        file = join(folder, 'body')
        good = await eventOf('clickstream')
        const line = (i: number): string => (i % 10 === 0 ? good : `{"nonsense": ${i}`)
        const lines = Array.from({ length: events }, (_, i) => line(i))
        await writeFile(file, lines.join('\n'))
      })

      function expectWhole(answer: string): void {
        const { accepted, rejected } = readAnswer(answer)
        expect([accepted, rejected.length]).toEqual([events / 10, events - events / 10])
        expect(rejected.every(({ index }, i) => index === i + Math.floor(i / 9) + 1)).toBe(true)
      }

      test.each(['--http1.1', '--http2-prior-knowledge'])('curl %s', async (protocol) => {
        const { token } = await freshStream()
        const out = join(folder, `curl${protocol}`)
        const headers = Object.entries(headersFor(token, 'ndjson')).flatMap(([name, value]) => [
          '-H',
          `${name}: ${value}`,
        ])
        const args = ['-s', '-m', '30', '-w', '%{http_code}']
        const { stdout } = await run('curl', [
          ...args,
          '-o',
          out,
          protocol,
          '--data-binary',
          `@${file}`,
          ...headers,
          `${scene.world.ingest.url}/events`,
        ])
        expect(stdout).toBe('200')
        expectWhole(readFileSync(out, 'utf8'))
      })

      test.each(['http1', 'http2'])('httpx over %s', async (protocol) => {
        const { token } = await freshStream()
        const script = join(import.meta.dirname, '../support/events.py')
        const headers = JSON.stringify(headersFor(token, 'ndjson'))
        const args = [script, `${scene.world.ingest.url}/events`, protocol, file, headers]
        const { stdout } = await run(python, args, { maxBuffer: 64 * mebibyte })
        expectWhole(stdout)
      })
    }),
  )

  test.each(['HTTP/1.1', 'HTTP/2'] as const)(
    'a client over %s that goes away midway leaves what was stored, and harms nobody',
    async (protocol) => {
      const { topic, token } = await freshStream()
      const { to, answer, cut } = open(protocol, headersFor(token, 'ndjson'))
      answer.catch(() => {})
      to.on('error', () => {})
      const line = `${await eventOf('clickstream')}\n`
      to.write(line.repeat(100) + line.slice(0, 100))
      await scene.reader.readUntil(topic, 100)
      to.write(line.slice(100) + line.repeat(5_000))
      cut()
      for (const served of protocols) {
        const client = await connect[served](scene.world.ingest.url)
        expectAccepted(await client.send(await goodRequest(scene.token)))
        client.close()
      }
      const stored = (await scene.reader.read(topic)).length
      expect(stored).toBeGreaterThanOrEqual(100)
      expect(stored).toBeLessThanOrEqual(5_101)
      const failed = { status: '500' }
      const { adminUrl } = scene.world.ingest
      expect(await metricOf(adminUrl, 'svc_ingest_requests_total', failed)).toBe(0)
      expect(scene.world.logLines().filter((line) => line.includes('request failed'))).toEqual([])
    },
  )
})

const readAnswer = (answer: string): BatchAnswer => JSON.parse(answer)
