// A transaction ends while one of its two partitions has no leader. Kafka 4.3.1 never writes the marker there, but
// reports the transaction as ended (KAFKA-20734). Kafka 3.9 and 4.0 wait for the marker.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { describeTransactionsV0, metadataV12 } from '@platformatic/kafka'

import { pollUntil } from '@weir/kit'

import { createAdmin } from '../../src/admin/admin.ts'
import type { Admin } from '../../src/admin/admin.ts'
import type { Kafka } from '../../src/connect/client.ts'
import { createFencer } from '../../src/fence/acquire.ts'
import type { Fencer } from '../../src/fence/acquire.ts'
import { createTransactor } from '../../src/fence/transactor.ts'
import { createRangeReader } from '../../src/read/read-range.ts'
import { newTransactionalId, openCluster } from '../broker-promises/cluster.ts'
import type { Cluster } from '../broker-promises/cluster.ts'
import { openTopics } from '../broker-promises/topics.ts'
import type { Topics } from '../broker-promises/topics.ts'
import { FIRST, SECOND, startTwoBrokers } from '../broker-promises/two-brokers.ts'
import type { TwoBrokers } from '../broker-promises/two-brokers.ts'
import { connectOverNetwork } from '../network.ts'
import type { Network } from '../network.ts'
import { connect } from '../support.ts'

let both: TwoBrokers
let cluster: Cluster
let topics: Topics
let network: Network
let kafka: Kafka
let admin: Admin
let fencer: Fencer

const END_TXN = 26
const DEADLINE_MS = 120_000
const partition = 0

beforeAll(async () => {
  both = await startTwoBrokers()
  cluster = openCluster(both.brokers)
  topics = openTopics(both.brokers)
  // Only the first broker, which coordinates all transactions, is behind this network.
  network = await connectOverNetwork(both.brokers[0])
  kafka = connect(both.brokers)
  admin = createAdmin(kafka)
  fencer = createFencer(kafka)
}, 180_000)

afterAll(async () => {
  fencer.close()
  await admin.close()
  await topics.close()
  await cluster.close()
  await both.stop()
})

type Pair = {
  /** The topic on the broker that may be stopped. */
  readonly one: string
  readonly other: string
  readonly transactionalId: string
}

const makePair = async (): Promise<Pair> => ({
  one: await topics.make('one', { replicas: [SECOND] }),
  other: await topics.make('other', { replicas: [FIRST] }),
  transactionalId: newTransactionalId(),
})

const logsOf = ({ one, other }: Pair) => ({
  partitions: [one, other].map((topic) => ({ topic, partition })),
  linkHeader: 'about',
})

/** Writes the same record to both logs in one transaction. */
async function transact(by: Kafka, pair: Pair, isCommit: boolean): Promise<void> {
  const { one, other, transactionalId } = pair
  const transactor = createTransactor(by, {
    transactionalId,
    timeoutMs: 10_000,
    logs: logsOf(pair),
  })
  const record = { partition, key: null, value: 'v', headers: { about: 'a' } }
  try {
    await transactor.fence()
    await transactor.transaction(async ({ send }) => {
      await send([one, other].map((topic) => ({ ...record, topic })))
      if (!isCommit) throw new Error('not now')
    })
  } finally {
    await transactor.close()
  }
}

const acquire = (pair: Pair) =>
  fencer.acquire({
    ...logsOf(pair),
    transactionalId: pair.transactionalId,
    deadlineMs: DEADLINE_MS,
  })

/** Returns the number of records that a read_committed reader sees in each log. */
async function counted({ one, other }: Pair): Promise<number[]> {
  const reader = createRangeReader(kafka)
  const counts = [one, other].map(async (topic) => {
    let count = 0
    const [to = 0n] = await admin.offsets.ends(topic, { isolation: 'read_committed' })
    await reader.read({ topic, partition, from: 0n, to }, (records) => {
      count += records.length
    })
    return count
  })
  return Promise.all(counts).finally(reader.close)
}

async function isAllCommitted({ one, other }: Pair): Promise<boolean> {
  const ended = [one, other].map(async (topic) => {
    const [end] = await admin.offsets.ends(topic, { isolation: 'read_uncommitted' })
    return end === (await admin.offsets.ends(topic, { isolation: 'read_committed' }))[0]
  })
  return (await Promise.all(ended)).every(Boolean)
}

/**
 * Waits until Kafka reports the transaction's end. Stops after five seconds, because Kafka 3.9 and 4.0 wait for the
 * marker.
 */
async function untilSaidToHaveEnded({ transactionalId }: Pair): Promise<void> {
  const until = performance.now() + 5_000
  while (performance.now() < until) {
    const connection = await cluster.coordinator('transaction', transactionalId)
    const { transactionStates } = await describeTransactionsV0.api.async(connection, [
      transactionalId,
    ])
    if (transactionStates[0]?.transactionState.startsWith('Complete')) return
  }
}

async function isLed({ one }: Pair): Promise<boolean> {
  const connection = await cluster.at(both.brokers[0] ?? '')
  // The client throws if a partition has no leader.
  const answer = await metadataV12.api.async(connection, [one], false, false).catch(() => undefined)
  return answer?.topics[0]?.partitions[0]?.leaderId === SECOND
}

const untilLed = (pair: Pair, wanted: boolean) =>
  pollUntil(async () => (await isLed(pair)) === wanted, { deadlineMs: 60_000, what: 'a leader' })

/** Ends a transaction while one of its partitions has no leader, and then disconnects its owner. */
async function endWithoutLeader(pair: Pair, isCommit: boolean) {
  const ending = network.hold(END_TXN)
  const ended = transact(network.kafka, pair, isCommit).catch((error: unknown) => error)
  await ending.began
  await both.second.killBroker()
  await untilLed(pair, false)
  ending.release()
  await untilSaidToHaveEnded(pair)
  network.cut()
  await both.second.restartBroker()
  await untilLed(pair, true)
  return { ended }
}

test.each([
  ['committed', 'it counts in both', true],
  ['aborted', 'it counts in none', false],
])(
  'a transaction was %s while a partition of it had no leader: whoever acquires its logs, %s',
  async (_, _what, isCommit) => {
    const pair = await makePair()
    await acquire(pair)
    const { ended } = await endWithoutLeader(pair, isCommit)

    await acquire(pair)

    await pollUntil(() => isAllCommitted(pair), { deadlineMs: 60_000, what: 'what is committed' })
    expect(await counted(pair)).toEqual(isCommit ? [1, 1] : [0, 0])
    network.mend()
    await ended
    await transact(kafka, pair, true)
    expect(await counted(pair)).toEqual(isCommit ? [2, 2] : [1, 1])
  },
  300_000,
)
