// Two replicas of each service, which share only Kafka. Most tests make a change through one replica, and wait until
// it has reached the other replica.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Service } from '@weir/devstack'
import { pollUntil } from '@weir/kit'

import { within } from '../../src/scale.ts'
import { signUp, exampleEvent, expectStatus, freshName, textIn } from '../../src/world/account.ts'
import type { Account, TestStream } from '../../src/world/account.ts'
import { listen } from '../../src/world/listener.ts'
import type { TestListener } from '../../src/world/listener.ts'
import { counterOf } from '../../src/world/metrics.ts'
import { connectProducer } from '../../src/world/producer.ts'
import type { Producer } from '../../src/world/producer.ts'
import { startWorld } from '../../src/world/services.ts'
import type { World } from '../../src/world/services.ts'
import { createTopicReader } from '../../src/world/topic.ts'
import type { TopicReader } from '../../src/world/topic.ts'

const soon = { deadlineMs: within(1_000), everyMs: 20 }
const schemaId = 'demo_v1'

let world: World
let otherAuth: Service
let outputs: Service[]
let accountAtA: Account
let accountAtB: Account
let producers: Producer[]
let reader: TopicReader
let event: Record<string, unknown>

beforeAll(async () => {
  world = await startWorld()
  const [auth, ingest, output] = await Promise.all([
    world.replica('auth'),
    world.replica('ingest'),
    world.replica('output'),
  ])
  otherAuth = auth
  outputs = [world.output, output]
  accountAtA = await signUp(world.auth.url)
  accountAtB = accountAtA.at(otherAuth.url)
  await accountAtA.contract(schemaId)
  producers = await Promise.all([world.ingest, ingest].map(({ url }) => connectProducer(url)))
  reader = createTopicReader(world.env)
  event = await exampleEvent(schemaId)
})

afterAll(async () => {
  for (const producer of producers ?? []) producer.close()
  await reader?.close()
  await world?.stop()
})

const output = (input: string, name: string): Promise<TestStream> =>
  accountAtA.output(input, name, { consentLevels: [1] })

/** Sends an event to each replica of ingest, and returns the statuses. */
const statuses = (token: string): Promise<number[]> =>
  Promise.all(
    producers.map(async (producer) => (await producer.send(event, { token, schemaId })).status),
  )

async function untilBothAnswer(token: string, status: number): Promise<void> {
  const both = async () => (await statuses(token)).every((answered) => answered === status)
  await pollUntil(both, { ...soon, what: `${status} from both replicas of ingest` })
}

/** Opens one socket at each replica of output. */
const listenAtBoth = (token: string): Promise<TestListener[]> =>
  Promise.all(outputs.map(({ url }) => listen(url, token)))

async function closedWith(listeners: readonly TestListener[]): Promise<number[]> {
  const codes: number[] = []
  for (const { closed } of listeners) void closed.then(({ code }) => codes.push(code))
  const all = () => codes.length === listeners.length
  await pollUntil(all, { ...soon, what: 'the closing of all WebSockets' })
  return codes
}

const upgradesRefused = (token: string): Promise<unknown[]> =>
  Promise.all(
    outputs.map(async ({ url }) => {
      const refusal: unknown = await listen(url, token).catch((error: unknown) => error)
      return refusal instanceof Error ? refusal.message : 'not refused'
    }),
  )

describe('what a replica made', () => {
  test('a stream made through one auth is usable everywhere at once', async () => {
    const stream = await accountAtA.input(freshName('s'))
    const token = await accountAtB.token(stream)
    expect(await statuses(token)).toEqual([204, 204])
    const path = `/v2/streams/${stream.name}`
    expect((await accountAtB.call('GET', path)).status).toBe(200)
    const derived = await accountAtB.output(stream.name, freshName('o'), {
      consentLevels: [1],
    })
    const derivedToken = await accountAtA.token(derived)
    for (const listener of await listenAtBoth(derivedToken)) listener.close()
  })
})

describe('what a replica took away', () => {
  test('a deleted stream is gone everywhere within a second: tokens get 401, WebSockets 4410', async () => {
    const stream = await accountAtA.input(freshName('s'))
    const derived = await output(stream.name, freshName('o'))
    const [token, derivedToken] = [await accountAtA.token(stream), await accountAtA.token(derived)]
    const listeners = [...(await listenAtBoth(token)), ...(await listenAtBoth(derivedToken))]
    expect(await statuses(token)).toEqual([204, 204])

    const path = `/v2/streams/${stream.name}?recursive=true`
    expectStatus(await accountAtA.call('DELETE', path), 200)

    const [codes] = await Promise.all([closedWith(listeners), untilBothAnswer(token, 401)])
    expect(codes).toEqual([4410, 4410, 4410, 4410])
    for (const dead of [token, derivedToken])
      expect(await upgradesRefused(dead)).toEqual(Array(2).fill('refused with status 401'))
    const path404 = `/v2/streams/${stream.name}`
    expect((await accountAtB.call('GET', path404)).status).toBe(404)
  })

  test('revoked credentials are dead everywhere within a second, others live on', async () => {
    const stream = await accountAtA.input(freshName('s'))
    const added = await accountAtA.call('POST', `/v2/streams/${stream.name}/credentials`)
    const { body } = expectStatus(added, 201)
    const other = { clientId: textIn(body, 'clientId'), clientSecret: textIn(body, 'clientSecret') }
    const [token, otherToken] = [await accountAtA.token(stream), await accountAtB.token(other)]
    const [listeners, others] = [await listenAtBoth(token), await listenAtBoth(otherToken)]

    const path = `/v2/streams/${stream.name}/credentials/${stream.clientId}`
    expectStatus(await accountAtA.call('DELETE', path), 200)

    const [codes] = await Promise.all([closedWith(listeners), untilBothAnswer(token, 401)])
    expect(codes).toEqual([4401, 4401])
    expect(await upgradesRefused(token)).toEqual(Array(2).fill('refused with status 401'))
    const { billingId } = accountAtB
    const { clientId, clientSecret } = stream
    const secrets = { billingId, clientId, clientSecret }
    expect((await accountAtB.call('POST', '/auth', secrets)).status).toBe(401)
    expect(await statuses(otherToken)).toEqual([204, 204])
    for (const listener of others) {
      expect(await listener.until(2)).toHaveLength(2)
      listener.close()
    }
  })
})

describe('what a replica changed', () => {
  test('a disabled stream is disabled everywhere within a second, and enabled again', async () => {
    const stream = await accountAtA.input(freshName('s'))
    const token = await accountAtA.token(stream)
    const listeners = await listenAtBoth(token)
    const enable = async (enabled: boolean) =>
      expectStatus(await accountAtA.call('PATCH', `/v2/streams/${stream.name}`, { enabled }), 200)

    await enable(false)
    const [codes] = await Promise.all([closedWith(listeners), untilBothAnswer(token, 403)])
    expect(codes).toEqual([4403, 4403])
    expect(await upgradesRefused(token)).toEqual(Array(2).fill('refused with status 403'))

    await enable(true)
    await untilBothAnswer(token, 204)
  })

  test('new limits hold everywhere within a second', async () => {
    const stream = await accountAtA.input(freshName('s'))
    const token = await accountAtA.token(stream)
    expect(await statuses(token)).toEqual([204, 204])
    const limit = async (eventCount: string) => {
      const limits = { eventCount }
      const path = `/v2/streams/${stream.name}`
      expectStatus(await accountAtB.call('PATCH', path, { limits }), 200)
    }

    await limit('1')
    await untilBothAnswer(token, 402)
    await limit('1000')
    await untilBothAnswer(token, 204)
  })
})

test('two outputs share the partitions of a derived stream, each event derived once', async () => {
  // A hash decides which replica owns a partition, so one replica might own all of a few partitions.
  const stream = await accountAtA.input(freshName('s'), { partitions: 24 })
  const derived = await output(stream.name, freshName('o'))
  const token = await accountAtA.token(stream)
  const passedBy = () =>
    Promise.all(
      outputs.map((service) =>
        counterOf(service, 'svc_output_events_total', { outcome: 'passed' }),
      ),
    )
  const before = await passedBy()

  let sent = 0
  const sendSome = async () => {
    const bodies = Array.from({ length: 24 }, () => ({
      ...event,
      consistent_value: freshName('key'),
    }))
    sent += bodies.length
    await Promise.all(
      bodies.map(async (body, index) => {
        const answer = await producers[index % 2]?.send(body, { token, schemaId })
        expect(answer?.status).toBe(204)
      }),
    )
  }
  // Partitions may still change their owners, so this sends events until both replicas have derived some.
  const bothWorked = async () => {
    await sendSome()
    const after = await passedBy()
    return after.every((count, index) => count > (before[index] ?? 0))
  }
  await pollUntil(bothWorked, { deadlineMs: 60_000, everyMs: 250, what: 'work for both outputs' })

  const records = await reader.readUntil(derived.topic, sent)
  const sources = records.map(({ headers }) => headers['svc-source']?.toString())
  expect(new Set(sources).size).toBe(sent)
})
