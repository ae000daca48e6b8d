// POST /events if Kafka does not acknowledge. Ingest refuses the whole request only if none of its events is stored.
// Before any refusal, ingest delays bodies. It recovers once Kafka is back.
import * as http from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { measured } from '@weir/testkit'
import { metricOf } from '../support/admin.ts'
import { contentType, readBatchAnswer } from '../support/batches.ts'
import type { BatchAnswer } from '../support/batches.ts'
import { protocols } from '../support/clients.ts'
import type { Answer, Protocol } from '../support/clients.ts'
import { startOwnScene } from '../support/own-broker.ts'
import type { OwnScene } from '../support/own-broker.ts'
import { bearer, eventOf, expectRefusal, schema } from '../support/scene.ts'

const produceTimeoutMs = 2_000
const inFlightBytesMax = 1_048_576

let scene: OwnScene
let line: string
beforeAll(async () => {
  scene = await startOwnScene({
    env: {
      PRODUCE_TIMEOUT_MS: String(produceTimeoutMs),
      IN_FLIGHT_BYTES_MAX: String(inFlightBytesMax),
    },
  })
  line = `${await eventOf('clickstream')}\n`
})
afterAll(() => scene?.stop())
afterEach(async () => {
  scene.broker.resumeBroker()
  await pollUntil(async () => (await send(line)).status === 200, {
    deadlineMs: 60_000,
    everyMs: 100,
    what: 'accepting events again',
  })
})

const headersFor = (token: string) => [bearer(token), schema('clickstream'), contentType('ndjson')]
const send = (body: string, protocol: Protocol = 'HTTP/2'): Promise<Answer> =>
  scene.clients[protocol].send({ path: '/events', headers: headersFor(scene.token), body })

test('all is refused in time when none of it is stored, whatever else is wrong with it', async () => {
  await scene.broker.pauseBroker()
  const startedAt = performance.now()
  const bodies = [line, line.repeat(20_000), `nonsense\n${line}nonsense\n`]
  const answers = await Promise.all(
    bodies.flatMap((body) => protocols.map((protocol) => send(body, protocol))),
  )
  for (const answer of answers) {
    expectRefusal(answer, 503, 'unavailable')
    expect(answer.header('retry-after')).toBe('1')
  }
  // A body longer than the backlog waits until its earlier events have ended.
  expect(performance.now() - startedAt).toBeLessThan(measured(3 * produceTimeoutMs))
})

test('what cannot be stored at all is rejected as ever meanwhile', async () => {
  await scene.broker.pauseBroker()
  const { accepted, rejected } = readBatchAnswer(await send('nonsense\n'.repeat(10)))
  expect([accepted, rejected.length]).toEqual([0, 10])
})

test('a body is held up while Kafka says nothing, and those are rejected that it does not take', async () => {
  const stream = await scene.account.input('midway')
  const token = await scene.account.token(stream)
  const sendOne = () =>
    scene.clients['HTTP/2'].send({ path: '/events', headers: headersFor(token), body: line })
  // A new topic may have no leader yet, and a slow machine may need longer to find it than an event may wait.
  await pollUntil(async () => (await sendOne()).status === 200, { deadlineMs: 60_000 })
  const before = (await scene.reader.read(stream.topic)).length
  const request = http.request(`${scene.world.ingest.url}/events`, {
    method: 'POST',
    headers: Object.fromEntries(headersFor(token)),
  })
  const answering = new Promise<BatchAnswer>((resolve, reject) => {
    request.on('error', reject)
    request.on('response', (response) =>
      text(response).then((body) => resolve(JSON.parse(body)), reject),
    )
  })
  request.write(line.repeat(100))
  await scene.reader.readUntil(stream.topic, before + 100)
  await scene.broker.pauseBroker()
  const [lost, refusedBefore] = [3_000, await refused()]
  request.write(line.repeat(lost))
  const isHeldUp = async (): Promise<boolean> =>
    (await inFlight()) > inFlightBytesMax / 32 || (await refused()) > refusedBefore
  await pollUntil(isHeldUp, {
    deadlineMs: 60_000,
    everyMs: 20,
    what: 'events not yet acknowledged',
  })
  expect(await inFlight()).toBeLessThan(inFlightBytesMax / 2)
  await pollUntil(async () => (await refused()) > refusedBefore, {
    deadlineMs: 60_000,
    what: 'refusing events',
  })
  scene.broker.resumeBroker()
  await pollUntil(async () => (await send(line)).status === 200, { deadlineMs: 60_000 })
  request.end(line.repeat(100))
  const { accepted, rejected } = await answering
  expect(accepted + rejected.length).toBe(lost + 200)
  expect(accepted).toBeGreaterThanOrEqual(200)
  expect(rejected.length).toBeGreaterThan(0)
  for (const { index, status, code } of rejected) {
    expect([status, code]).toEqual([503, 'unavailable'])
    expect(index).toBeGreaterThanOrEqual(100)
    expect(index).toBeLessThan(lost + 100)
  }
  const indexes = rejected.map(({ index }) => index)
  expect(indexes).toEqual(indexes.toSorted((a, b) => a - b))
  // Refused events may be stored, too, but accepted ones certainly are.
  expect((await scene.reader.read(stream.topic)).length).toBeGreaterThanOrEqual(before + accepted)
}, 240_000)

const metric = (name: string, labels = {}): Promise<number> =>
  metricOf(scene.world.ingest.adminUrl, name, labels)
const inFlight = (): Promise<number> => metric('svc_ingest_in_flight_bytes')
const refused = (): Promise<number> => metric('svc_ingest_events_total', { code: 'unavailable' })
