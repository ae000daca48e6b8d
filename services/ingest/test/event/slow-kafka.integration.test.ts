// If Kafka is slow, the HTTP/2 windows close first, so that producers wait. They get 503 only later
// (docs/operations.md, When Kafka is slow or gone). Tested with Weir's own HTTP/2, which counts the bodies of all its
// connections together.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { constants, connect } from 'node:http2'
import type { ClientHttp2Session } from 'node:http2'
import { pollUntil } from '@weir/kit'
import { measured, peakResidentBytes } from '@weir/testkit'
import { metricOf } from '../support/admin.ts'
import type { Sent } from '../support/clients.ts'
import { residentBytesMax } from '../support/memory.ts'
import { startOwnScene } from '../support/own-broker.ts'
import type { OwnScene } from '../support/own-broker.ts'
import { goodRequest } from '../support/scene.ts'

const inFlightBytesMax = 16 * 1_048_576
const bodyBytes = 400_000
const connections = 4
/** The number of bodies per connection. All bodies together exceed the limit of bytes in flight to Kafka. */
const bodies = 20

let scene: OwnScene
let large: Required<Sent>
const sessions: ClientHttp2Session[] = []

beforeAll(async () => {
  scene = await startOwnScene({
    env: {
      INGEST_HTTP: 'own',
      IN_FLIGHT_BYTES_MAX: String(inFlightBytesMax),
      // Enough time for a busy machine to close the windows and open them again.
      PRODUCE_TIMEOUT_MS: '8000',
    },
  })
  large = await goodRequest(scene.token, { referrer: 'r'.repeat(bodyBytes) })
})
afterEach(() => {
  scene.broker.resumeBroker()
  for (const session of sessions.splice(0)) session.destroy()
})
afterAll(() => scene?.stop(), 60_000)

type Flood = {
  /** The statuses, or errors of failed requests, in order of arrival. */
  readonly outcomes: (number | string)[]
  /** Whether no connection permits more data, although most bodies are unsent. */
  areWindowsClosed(): boolean
  isAnswered(): boolean
}

/** Sends all bodies on all connections at the same time. */
async function flood(): Promise<Flood> {
  const outcomes: (number | string)[] = []
  for (let i = 0; i < connections; i += 1) sessions.push(await open())
  for (const session of sessions)
    for (let i = 0; i < bodies; i += 1)
      void post(session).then(
        (status) => outcomes.push(status),
        (error: unknown) => outcomes.push(String(error)),
      )
  return {
    outcomes,
    areWindowsClosed: () => sessions.every(({ state }) => state.remoteWindowSize === 0),
    isAnswered: () => outcomes.length === connections * bodies,
  }
}

async function open(): Promise<ClientHttp2Session> {
  // Node's client cancels its own streams if more than 10 MB wait to be sent.
  const session = connect(scene.world.ingest.url, { maxSessionMemory: 1_000 })
  await new Promise((resolve, reject) => {
    session.once('remoteSettings', resolve).once('error', reject)
  })
  session.on('error', () => {}) // every request of the session gets the error
  return session
}

function post(session: ClientHttp2Session): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = Object.fromEntries(large.headers)
    const stream = session.request({ ':method': 'POST', ':path': '/event', ...headers })
    stream.on('response', (answer) => resolve(Number(answer[constants.HTTP2_HEADER_STATUS])))
    stream.on('error', reject)
    stream.on('close', () => reject(new Error('the request was cut off')))
    stream.resume().end(large.body)
  })
}

const inFlight = (): Promise<number> =>
  metricOf(scene.world.ingest.adminUrl, 'svc_ingest_in_flight_bytes')

test('one large body is stored', async () => {
  expect((await scene.clients['HTTP/2'].send(large)).status).toBe(204)
})

test('large bodies wait at closed windows, no one is refused, and all are stored once Kafka goes on', async () => {
  await scene.broker.pauseBroker()
  const { outcomes, areWindowsClosed, isAnswered } = await flood()
  await pollUntil(areWindowsClosed, { deadlineMs: 60_000, everyMs: 5, what: 'closing the windows' })
  expect(await inFlight()).toBeLessThanOrEqual(inFlightBytesMax)
  expect(outcomes).toEqual([])

  scene.broker.resumeBroker()
  await pollUntil(isAnswered, { deadlineMs: 60_000, what: 'every answer' })
  expect(new Set(outcomes)).toEqual(new Set([204]))
})

test('only when Kafka says nothing for too long 503 comes, after the windows closed; then all goes on', async () => {
  await scene.broker.pauseBroker()
  const { outcomes, areWindowsClosed, isAnswered } = await flood()
  await pollUntil(areWindowsClosed, { deadlineMs: 60_000, everyMs: 5, what: 'closing the windows' })
  expect(outcomes).toEqual([])
  await pollUntil(() => outcomes.length > 0, { deadlineMs: 60_000, what: 'the first answer' })
  expect(outcomes[0]).toBe(503)

  scene.broker.resumeBroker()
  await pollUntil(isAnswered, { deadlineMs: 60_000, what: 'every answer' })
  expect(new Set(outcomes)).toEqual(new Set([204, 503]))
  await pollUntil(async () => (await inFlight()) === 0, { deadlineMs: 60_000 })
  const isServing = async () => (await scene.clients['HTTP/2'].send(large)).status === 204
  await pollUntil(isServing, { deadlineMs: 60_000, everyMs: 100, what: 'accepting events again' })
})

test('the memory of ingest stayed under its bound', async () => {
  expect(await peakResidentBytes(scene.world.ingest.pid)).toBeLessThan(measured(residentBytesMax))
})
