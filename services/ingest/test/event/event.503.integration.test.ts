// If Kafka does not acknowledge, a request gets 503 in time, and no event that got 204 is missing afterwards. Ingest
// recovers without help once Kafka is back (docs/architecture.md 5).
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { freshName, inSoak, madeEvent, newContract, measured } from '@weir/testkit'
import { connect, protocols } from '../support/clients.ts'
import type { Answer, Client, Protocol, Sent } from '../support/clients.ts'
import { askAdmin, metricOf } from '../support/admin.ts'
import { timesStored } from '../support/marks.ts'
import { startOwnScene } from '../support/own-broker.ts'
import type { OwnBroker, OwnScene } from '../support/own-broker.ts'
import {
  expectAccepted,
  expectRefusal,
  expectRefusedByBoth,
  goodRequest,
  schema,
} from '../support/scene.ts'

const produceTimeoutMs = 2_500
const notEvenTried = 'cannot check at the moment whether tokens were revoked'
const answeredWithinMs = measured(produceTimeoutMs + 3_000)

let scene: OwnScene
let broker: OwnBroker
beforeAll(async () => {
  scene = await startOwnScene({
    env: { PRODUCE_TIMEOUT_MS: String(produceTimeoutMs), IN_FLIGHT_BYTES_MAX: '1048576' },
  })
  broker = scene.broker
})
afterAll(() => scene?.stop())
afterEach(async () => {
  broker.resumeBroker()
  await servesAgain()
})

const send = async (parts: object = {}, protocol: Protocol = 'HTTP/2'): Promise<Answer> =>
  scene.clients[protocol].send(await goodRequest(scene.token, parts))

const accepts = (request: Sent): Promise<boolean> =>
  pollUntil(async () => (await scene.clients['HTTP/2'].send(request)).status === 204, {
    deadlineMs: 60_000,
    everyMs: 100,
    what: 'accepting events again',
  })
const servesAgain = async (): Promise<boolean> => accepts(await goodRequest(scene.token))

function expectUnavailable(answer: Answer): void {
  expectRefusal(answer, 503, 'unavailable')
  expect(answer.header('retry-after')).toBe('1')
}

describe('a contract that names a data subject', () => {
  beforeAll(async () => {
    await newContract(scene.account, {
      id: 'owned',
      fields: [{ name: 'owner', type: ['null', 'string'], default: null }],
      piiFields: { key: 0, owner: 1 },
      dataSubjectField: 'owner',
    })
  })

  function sendOf(owner: string | null, device: string, client?: Client): Promise<Answer> {
    const body = madeEvent({ owner: owner === null ? null : { string: owner }, key: device })
    return (client ?? scene.clients['HTTP/2']).send({
      headers: [
        ['authorization', `Bearer ${scene.token}`],
        ['svc-schema-id', 'owned'],
        ['content-type', 'application/json'],
      ],
      body,
    })
  }

  const keysKept = async (): Promise<string[]> =>
    (await scene.reader.read('weir.subjects')).map(({ key }) => String(key))

  test('the links of a data subject are kept once, whatever comes after, and nobody’s are none', async () => {
    for (const device of ['phone', 'phone', 'tablet']) expectAccepted(await sendOf('anna', device))
    expectAccepted(await sendOf('ben', 'laptop'))
    expectAccepted(await sendOf(null, 'nobody’s'))
    const kept = await keysKept()
    expect(kept).toHaveLength(3)
    for (const name of ['anna', 'ben', 'phone', 'tablet']) expect(kept.join()).not.toContain(name)
  })

  test('another replica keeps the same links under the same keys', async () => {
    const before = await keysKept()
    const other = await scene.world.replica('ingest')
    const client = await connect['HTTP/2'](other.url)
    expectAccepted(await sendOf('anna', 'phone', client))
    client.close()
    const after = await keysKept()
    expect([after.length, new Set(after)]).toEqual([before.length + 1, new Set(before)])
  })

  test('while links cannot be kept their events get 503, and others are taken', async () => {
    await scene.reader.admin.topics.delete('weir.subjects')
    expectRefusal(await sendOf('carl', 'watch'), 503, 'unavailable')
    expectAccepted(await sendOf('anna', 'phone'))
    expectAccepted(await scene.clients['HTTP/2'].send(await goodRequest(scene.token)))
    await scene.reader.admin.topics.create({ topic: 'weir.subjects', partitions: 12 })
    await pollUntil(async () => (await sendOf('carl', 'watch')).status === 204, {
      deadlineMs: 60_000,
      what: 'keeping links again',
    })
    expect((await keysKept()).length).toBeGreaterThanOrEqual(1)
    const stored = await scene.reader.read(scene.input.topic)
    expect(stored.length).toBeGreaterThanOrEqual(8)
  })
})

test('a broker that says nothing gets every waiting event a 503 in time', async () => {
  expectAccepted(await send())
  await broker.pauseBroker()
  const startedAt = performance.now()
  const sent = Array.from({ length: 20 }, (_, index) => send({}, protocols[index % 2]))
  for (const answer of await Promise.all(sent)) expectUnavailable(answer)
  expect(performance.now() - startedAt).toBeLessThan(answeredWithinMs)
})

test('what needs no Kafka is answered as ever meanwhile', async () => {
  const good = await goodRequest(scene.token)
  const wrong = await goodRequest(scene.token, { url: 'x' })
  await broker.pauseBroker()
  await expectRefusedByBoth(scene, { ...good, path: '/' }, [404, 'not_found'])
  await expectRefusedByBoth(scene, { ...good, headers: [] }, [401, 'invalid_token'])
  await expectRefusedByBoth(scene, wrong, [400, 'validation_failed'])
})

inSoak(() => {
  test('what would have to be looked up in Kafka is answered 503, not 500', async () => {
    const good = await goodRequest(scene.token)
    const [token] = good.headers
    if (token === undefined) throw new Error('no token')
    await broker.pauseBroker()
    for (const protocol of protocols) {
      const startedAt = performance.now()
      expectUnavailable(
        await scene.clients[protocol].send({ ...good, headers: [token, schema('unheard-of')] }),
      )
      expect(performance.now() - startedAt).toBeLessThan(answeredWithinMs)
    }
  })

  test('more bytes than may be on their way are refused at once', async () => {
    const inFlight = (): Promise<number> =>
      metricOf(scene.world.ingest.adminUrl, 'svc_ingest_in_flight_bytes')
    const large = await goodRequest(scene.token, { referrer: 'r'.repeat(600_000) })
    await broker.pauseBroker()
    const sent = [0, 1, 2, 3].map((index) =>
      scene.clients[protocols[index % 2] ?? 'HTTP/2'].send(large),
    )
    const answers = await Promise.all(sent)
    for (const answer of answers) expectUnavailable(answer)
    const tooMuch = 'Not stored: too much is waiting for Kafka; send it again'
    const others = answers.map(({ body }) => body).filter((body) => body !== tooMuch)
    expect(others).toHaveLength(1)
    // This request was within the limit. Ingest sent it to Kafka if the connection was open.
    expect(others[0]).toMatch(/^(May be|Not) stored: Kafka did not (acknowledge|take) it in time/)
    broker.resumeBroker()
    await accepts(large)
    await pollUntil(async () => (await inFlight()) === 0, {
      deadlineMs: 60_000,
      what: 'nothing to be on its way',
    })
  })

  test('what was refused does not count for the month', async () => {
    const limits = { eventRate: '1000', eventCount: '1' }
    // A broker that was just resumed may be slow to create a topic.
    const make = () => scene.account.input(freshName('counted'), { limits }).catch(() => undefined)
    const stream = await pollUntil(make, { deadlineMs: 60_000, everyMs: 500, what: 'a stream' })
    const token = await scene.account.token(stream)
    const request = await goodRequest(token)
    await broker.pauseBroker()
    expectUnavailable(await scene.clients['HTTP/2'].send(request))
    broker.resumeBroker()
    const statuses: number[] = []
    const isUsedUp = async (): Promise<boolean> => {
      statuses.push((await scene.clients['HTTP/2'].send(request)).status)
      return statuses.at(-1) === 402
    }
    await pollUntil(isUsedUp, { deadlineMs: 60_000, everyMs: 100, what: 'using the month up' })
    expect(statuses.filter((status) => status === 204)).toHaveLength(1)
  })

  test('after ten seconds of silence nothing is accepted, since a token may have been revoked', async () => {
    await broker.pauseBroker()
    const isUnready = async (): Promise<boolean> =>
      (await askAdmin(scene.world.ingest.adminUrl, '/health/ready')).status === 503
    await pollUntil(isUnready, { deadlineMs: 60_000, everyMs: 200, what: 'becoming unready' })
    for (const protocol of protocols) {
      const answer = await send({}, protocol)
      expectUnavailable(answer)
      expect(answer.body).toContain(notEvenTried)
    }
    expectUnavailable(await scene.clients['HTTP/2'].send({ ...(await goodRequest('nonsense')) }))
    broker.resumeBroker()
    await servesAgain()
    const isReady = async (): Promise<boolean> => !(await isUnready())
    await pollUntil(isReady, { deadlineMs: 60_000, everyMs: 200, what: 'becoming ready again' })
  })
})

test('everything that was answered 204 is stored once, and nothing twice, though the broker is killed under load', async () => {
  const stream = await scene.account.input('killed')
  const token = await scene.account.token(stream)
  const accepted: string[] = []
  const others = new Map<number, number>()
  let isLoading = true
  const load = async (worker: number): Promise<void> => {
    for (let index = 0; isLoading; index += 1) {
      const mark = `${worker}-${index}`
      const request = await goodRequest(token, { producerSessionId: mark, eventType: mark })
      const { status } = await scene.clients[protocols[worker % 2] ?? 'HTTP/2'].send(request)
      if (status === 204) accepted.push(mark)
      else others.set(status, (others.get(status) ?? 0) + 1)
    }
  }
  const workers = [0, 1, 2, 3].map(load)
  const until = (count: number) =>
    pollUntil(() => accepted.length >= count, { deadlineMs: 60_000, what: 'accepting events' })
  try {
    await until(100)
    await broker.killBroker()
    await pollUntil(() => others.size > 0, { deadlineMs: 60_000, what: 'refusing events' })
    await broker.restartBroker()
    await until(accepted.length + 100)
  } finally {
    isLoading = false
    await Promise.all(workers)
  }
  expect([...others.keys()]).toEqual([503])
  const times = await timesStored(scene.reader, stream.topic)
  expect(accepted.filter((mark) => times.get(mark) !== 1)).toEqual([])
  expect([...times].filter(([, count]) => count > 1)).toEqual([])
})
