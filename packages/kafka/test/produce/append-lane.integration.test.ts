// Partition owners append to a real broker: with the identities of real fences, across restarts, and after another
// owner has fenced.
import { afterAll, beforeAll, expect, test } from '@jest/globals'

import { delay, pollUntil } from '@weir/kit'

import { createAppender } from '../../src/produce/appender.ts'
import type { Appender } from '../../src/produce/appender.ts'
import { encodeRecord } from '../../src/protocol/record-batch.ts'
import { newTransactionalId, openCluster } from '../broker-promises/cluster.ts'
import type { Cluster, Place } from '../broker-promises/cluster.ts'
import { readLog, valuesOf } from '../broker-promises/log.ts'
import { openTopics } from '../broker-promises/topics.ts'
import type { Topics } from '../broker-promises/topics.ts'
import { fence } from '../broker-promises/transactions.ts'
import { connect } from '../support.ts'
import { startOwnBroker } from '../support-broker.ts'
import type { OwnBroker } from '../support-broker.ts'
import { startProxy } from '../support-proxy.ts'
import type { Proxy } from '../support-proxy.ts'

const TEST_MS = 180_000

let broker: OwnBroker
let proxy: Proxy
let cluster: Cluster
let topics: Topics
let appender: Appender

beforeAll(async () => {
  proxy = await startProxy(() => Number(broker.brokers[0]?.split(':')[1]))
  const advertised = `PLAIN://127.0.0.1:${proxy.port}`
  broker = await startOwnBroker({ 'advertised.listeners': advertised })
  cluster = openCluster(broker.brokers)
  topics = openTopics(broker.brokers)
  appender = createAppender(connect(broker.brokers))
}, TEST_MS)

afterAll(async () => {
  appender.close()
  await topics.close()
  await cluster.close()
  await broker.stop()
  await proxy.close()
}, TEST_MS)

const records = (...values: string[]) =>
  values.map((value) =>
    encodeRecord({ key: 'k', value, headers: { h: 'x' }, timestampMs: Date.now() }),
  )

const codeOf = (appending: Promise<bigint>): Promise<string> =>
  appending.then(
    () => 'stored',
    (error: { code: string }) => error.code,
  )

async function acquire(place: Place, id: string) {
  const { owner } = await fence(cluster, id, [place])
  return appender.lane({ ...place, identity: owner })
}

const makePlace = async (): Promise<Place> => ({
  topic: await topics.make('derived'),
  partition: 0,
})

const stored = async (place: Place) => valuesOf(await readLog(cluster, place))

test(
  'the offset of an append is that of its first record',
  async () => {
    const place = await makePlace()
    const lane = await acquire(place, newTransactionalId())
    const appends = [records('a', 'b'), records('c'), records('d')]
    // The fence's marker has offset 0.
    expect(await Promise.all(appends.map(lane.append))).toEqual([1n, 3n, 4n])
    expect(await stored(place)).toEqual(['a', 'b', 'c', 'd'])
    lane.close()
  },
  TEST_MS,
)

test(
  'a former owner is told so, and nothing of it is stored',
  async () => {
    const [place, id] = [await makePlace(), newTransactionalId()]
    const former = await acquire(place, id)
    await former.append(records('a'))
    const owner = await acquire(place, id)
    expect(await codeOf(former.append(records('late')))).toBe('kafka.fenced')
    await owner.append(records('b'))
    expect(await stored(place)).toEqual(['a', 'b'])
    owner.close()
  },
  TEST_MS,
)

test.each(['asked', 'answered'] as const)(
  'an append whose connection is cut after it was written is stored once, if what is %s got lost',
  async (way) => {
    const place = await makePlace()
    const lane = await acquire(place, newTransactionalId())
    await lane.append(records('a'))
    proxy.lose(way)
    const asked = proxy.asked()
    const appended = lane.append(records('b'))
    await pollUntil(() => proxy.asked() > asked, { deadlineMs: 60_000, everyMs: 5 })
    // Time for the broker to append the batch.
    await delay(200)
    proxy.cut()
    proxy.lose('nothing')
    proxy.cut()
    expect(await appended).toBe(2n)
    await lane.append(records('c'))
    expect(await stored(place)).toEqual(['a', 'b', 'c'])
    lane.close()
  },
  TEST_MS,
)

test.each([
  ['told to end', () => Promise.resolve()],
  ['killed', () => broker.kill()],
])(
  'through a broker that is %s and started again all is stored once, in order',
  async (_, end) => {
    const place = await makePlace()
    const lane = await acquire(place, newTransactionalId())
    const answers: Promise<bigint>[] = []
    let isStopped = false
    const loading = (async () => {
      while (!isStopped) {
        answers.push(lane.append(records(`${answers.length}`)))
        await delay(2)
      }
    })()
    await pollUntil(() => answers.length > 100, { deadlineMs: 60_000 })

    await end()
    await broker.start()
    const started = answers.length
    await pollUntil(() => answers.length > started + 100, { deadlineMs: 60_000 })
    isStopped = true
    await loading
    const offsets = await Promise.all(answers)

    expect(await stored(place)).toEqual(answers.map((_, at) => `${at}`))
    expect(offsets).toEqual(answers.map((_, at) => BigInt(at + 1)))
    lane.close()
  },
  TEST_MS,
)
