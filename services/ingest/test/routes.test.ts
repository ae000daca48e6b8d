// A request without a network: which modules ingest calls, in which order, and how their errors become responses.
import { expect, test } from '@jest/globals'
import type { HttpRequest } from '@weir/http2'
import { AppError } from '@weir/kit'
import type { Fault } from '@weir/kit'
import type { Access } from '@weir/control-state'
import { exampleEvent } from '@weir/testkit'
import { createLongWork } from '../src/event/long-work.ts'
import { createBacklog } from '../src/events/backlog.ts'
import type { CheckedEvent } from '../src/event/check-event.ts'
import { createRoutes } from '../src/routes.ts'
import { activeContract, inputStream } from './support/records.ts'

const credential = { clientId: 'c', secretHash: '', scope: ['send' as const], createdAtMs: 1 }
const access: Access = {
  stream: inputStream(),
  credential,
  scope: credential.scope,
  clientId: 'c',
  expiresAt: 1,
  kid: 'k',
}

type Parts = {
  isFresh?: boolean
  headers?: Record<string, string>
  body?: () => Promise<Buffer | undefined>
  store?: (checked: CheckedEvent) => Promise<void>
}

/** Runs one valid request, and returns the modules that were called. */
async function run(parts: Parts = {}) {
  const active = await activeContract()
  const event = Buffer.from(JSON.stringify(await exampleEvent('clickstream')))
  const did: string[] = []
  const counted: string[] = []
  const internals: unknown[] = []
  const faults: Fault[] = []
  const headers: Record<string, string> = { 'svc-schema-id': 'clickstream', ...parts.headers }
  const request: HttpRequest = {
    method: 'POST',
    path: '/event',
    query: '',
    header: (name) => headers[name],
    headerCount: (name) => (headers[name] === undefined ? 0 : 1),
    body: parts.body ?? (async () => event),
    chunks: async function* () {
      yield event
    },
  }
  const handle = createRoutes({
    access: () => (did.push('access'), access),
    isFresh: () => parts.isFresh ?? true,
    limits: {
      admit: () => void did.push('admit'),
      reserve: () => void did.push('reserve'),
      release: () => void did.push('release'),
      refused: (_stream, _nowMs, code) => void counted.push(code),
    },
    contractFor: () => (did.push('contract'), active),
    store(checked, _nowMs, waiter) {
      did.push(`store ${checked.key}`)
      const storing = parts.store?.(checked) ?? Promise.resolve()
      storing.then(waiter.resolve, waiter.reject)
    },
    longWork: createLongWork(),
    now: () => 1,
    elapsed: () => 1,
    eventBytesMax: 1_000_000,
    schemaIdHeaders: ['svc-schema-id'],
    traces: undefined,
    metrics: {
      answered: (status, code) => void did.push(`answered ${status} ${code}`),
      events: () => {},
      batchStored: () => {},
      spans: () => {},
    },
    backlog: createBacklog({ bytesMax: 1, shareBytesMax: 1 }),
    onInternal: () => {},
    pageOf: (code) => code,
    onFault(fault) {
      faults.push(fault)
      internals.push(fault.err)
    },
  })
  const answer = await (async () => handle(request))().catch((error: unknown) => ({ error }))
  return { answer, did, counted, internals, faults }
}

test('an event goes through every check and is answered after it is stored', async () => {
  const { answer, did } = await run()
  expect(answer).toEqual({ status: 204 })
  expect(did).toEqual([
    'access',
    'admit',
    'contract',
    'reserve',
    'store session-0001',
    'answered 204 none',
  ])
})

test('nothing is asked while revocations may be missing', async () => {
  const { answer, did } = await run({ isFresh: false })
  expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
  expect(did).toEqual(['answered 503 unavailable'])
})

test('an event that is not stored is not counted for the month', async () => {
  const store = () => Promise.reject(new AppError('kafka.unavailable', 'Kafka is away'))
  const { answer, did } = await run({ store })
  expect(answer).toMatchObject({ status: 503, body: 'Kafka is away' })
  expect(did.slice(-3)).toEqual(['store session-0001', 'release', 'answered 503 unavailable'])
})

test('a fault of ours is 500, told to the log and not to the client', async () => {
  const fault = new TypeError('event.url is undefined')
  const { answer, did, internals } = await run({ store: () => Promise.reject(fault) })
  expect(answer).toMatchObject({ status: 500, headers: { 'svc-error': 'internal' } })
  expect(answer).toMatchObject({ body: expect.not.stringContaining('url') })
  expect(internals).toEqual([fault])
  expect(did.at(-1)).toBe('answered 500 internal')
})

test('a refusal for a fault of ours has an id that its log line has too: that of the trace, if there is one', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-00` }
  const { answer, faults } = await run({ isFresh: false, headers })
  expect(answer).toMatchObject({ headers: { 'svc-request-id': traceId, 'retry-after': '1' } })
  const fault = { code: 'unavailable', status: 503, route: '/event' }
  expect(faults).toMatchObject([{ requestId: traceId, ...fault }])
  const untraced = await run({ isFresh: false })
  expect(untraced.faults[0]?.requestId).toMatch(/^[0-9a-f]{32}$/)
  expect((await run({ headers: { 'svc-schema-id': '' } })).faults).toEqual([])
})

test('a client that went away is no fault of ours, and gets no answer', async () => {
  const gone = new AppError('http2.aborted', 'the client went away')
  const { answer, did, counted, internals } = await run({ body: () => Promise.reject(gone) })
  expect(answer).toEqual({ error: gone })
  expect([internals, counted]).toEqual([[], []])
  expect(did).toEqual(['access', 'admit'])
})

test("a refusal is counted under its code for the stream's usage, an accepted event is not", async () => {
  expect((await run({ headers: { 'svc-schema-id': '' } })).counted).toEqual(['schema_id_missing'])
  expect((await run()).counted).toEqual([])
})

test('a body that is too large is refused before its contract is looked up', async () => {
  const { answer, did } = await run({ body: async () => undefined })
  expect(answer).toMatchObject({ status: 413 })
  expect(did).not.toContain('contract')
})

test('what is no gzip is said after its contract is found', async () => {
  const { answer, did } = await run({ headers: { 'content-encoding': 'gzip' } })
  expect(answer).toMatchObject({ status: 400, body: 'The body is not valid gzip' })
  expect(did).toContain('contract')
})
