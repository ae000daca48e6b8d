// A producer without services. Its buffer is bounded, and every `send` gets its outcome.
import { createServer as createHttp } from 'node:http'
import { createServer as createHttp2 } from 'node:http2'
import type { Server } from 'node:net'
import { afterAll, expect, test } from '@jest/globals'
import { createProducer } from '../../src/index.ts'
import type { Producer, ProducerOptions, Retry } from '../../src/index.ts'

/** No program listens at port 9 (discard) of loopback. */
const nowhere = {
  authUrl: 'http://127.0.0.1:9',
  ingestUrl: 'http://127.0.0.1:9',
  billingId: 'demo',
  clientId: 'client',
  clientSecret: 'a-secret',
  contract: 'clickstream',
  onRetry: () => undefined,
  onError: () => undefined,
}
const servers: Server[] = []
const producers: Producer[] = []
function producerOf(more: Partial<ProducerOptions> = {}): Producer {
  const producer = createProducer({ ...nowhere, ...more })
  producers.push(producer)
  return producer
}
afterAll(async () => {
  await Promise.all(producers.map((producer) => producer.close({ deadlineMs: 0 })))
  for (const server of servers) server.close()
})

const outcome = (sending: Promise<void>): Promise<unknown> =>
  sending.then(
    () => 'stored',
    (error: unknown) => error,
  )
const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : error

test('sends beyond the buffer wait, ten times as many as it holds, and the rest is refused at once', async () => {
  const producer = producerOf({ bufferEventsMax: 3 })
  const sends = Array.from({ length: 40 }, (_, number) => outcome(producer.send({ number })))
  expect(producer.buffered().events).toBe(33)
  const refused = await Promise.all(sends.slice(33))
  expect(refused.map(codeOf)).toEqual(Array(7).fill('buffer_full'))
  await producer.close({ deadlineMs: 0 })
  const given = await Promise.all(sends.slice(0, 33))
  expect(given).toEqual(
    Array(33).fill(expect.objectContaining({ code: 'closed', mayBeStored: false })),
  )
  expect(producer.buffered()).toEqual({ events: 0, bytes: 0 })
})

test('an event whose time is over is given up, and what went wrong was told meanwhile, without a secret', async () => {
  const retries: Retry[] = []
  const producer = producerOf({ sendTimeoutMs: 400, onRetry: (retry) => retries.push(retry) })
  const given = await outcome(producer.send({}))
  expect(given).toMatchObject({ code: 'timed_out', mayBeStored: false })
  expect(retries.length).toBeGreaterThan(0)
  expect(retries[0]).toMatchObject({
    trouble: expect.stringMatching(
      /^auth can't be reached at http:\/\/127\.0\.0\.1:9: .*ECONNREFUSED/,
    ),
    cause: { code: 'ECONNREFUSED' },
    events: 1,
  })
  expect(JSON.stringify([retries, String(given)])).not.toContain('a-secret')
})

test('a flush ends with the last outcome, and ready waits for room', async () => {
  const producer = producerOf({ sendTimeoutMs: 300, bufferEventsMax: 1 })
  const given = outcome(producer.send({}))
  await Promise.all([producer.ready(), producer.flush()])
  expect(codeOf(await given)).toBe('timed_out')
  await producer.flush()
})

test.each(['stored', 'rejected'] as const)(
  'after a flush the handlers of 700 sends have run whose events are %s',
  async (kind) => {
    const producer = producerOf(await answering(kind))
    const counts = { stored: 0, rejected: 0 }
    for (let number = 0; number < 700; number += 1)
      producer.send({ number }).then(
        () => (counts.stored += 1),
        () => (counts.rejected += 1),
      )
    await producer.flush()
    const { [kind]: count } = counts
    expect(count).toBe(700)
  },
)

/** Starts an auth, and an ingest that stores or rejects all events of a request. */
async function answering(kind: 'stored' | 'rejected') {
  const token = JSON.stringify({ idToken: 'token', expiresAt: Date.now() / 1_000 + 3_600 })
  const auth = createHttp((_request, response) => response.end(token))
  const ingest = createHttp2((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (part: string) => (text += part))
    request.on('end', () => {
      const events = text.trim().split('\n')
      const refusal = { status: 400, code: 'validation_failed', message: 'no' }
      const rejected = kind === 'stored' ? [] : events.map((_, index) => ({ index, ...refusal }))
      response.end(JSON.stringify({ accepted: events.length - rejected.length, rejected }))
    })
  })
  return { authUrl: await listening(auth), ingestUrl: await listening(ingest) }
}

async function listening(server: Server): Promise<string> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
}

test('once it is closed nothing is taken, and closing again is the same', async () => {
  const producer = producerOf()
  const [first, second] = [producer.close(), producer.close()]
  expect(first).toBe(second)
  await first
  await expect(producer.send({})).rejects.toMatchObject({ code: 'closed', mayBeStored: false })
})

test.each([
  [{ authUrl: 'auth' }, 'authUrl must be the address of auth'],
  [{ ingestUrl: 'ftp://ingest' }, 'ingestUrl must be the address of ingest'],
  [{ requestsMax: 0 }, 'requestsMax must be a whole number above 0'],
  [{ bufferBytesMax: 1.5 }, 'bufferBytesMax must be a whole number above 0'],
  [{ sendTimeoutMs: Number.NaN }, 'sendTimeoutMs must be a whole number above 0'],
])('options that cannot be, as %p, are refused when it is made', (options, message) => {
  expect(() => createProducer({ ...nowhere, ...options })).toThrow(message)
})
