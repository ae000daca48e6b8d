// Each record is derived exactly once, even if the leaders of its partitions die and come back. The test has its own
// two brokers, and stops only the second.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createBatchProducer } from '@weir/kafka'
import type { BatchProducer } from '@weir/kafka'
import { delay, pollUntil } from '@weir/kit'
import { openCluster } from '../../../../packages/kafka/test/broker-promises/cluster.ts'
import type { Cluster } from '../../../../packages/kafka/test/broker-promises/cluster.ts'
import { readLog, valuesOf } from '../../../../packages/kafka/test/broker-promises/log.ts'
import { openTopics } from '../../../../packages/kafka/test/broker-promises/topics.ts'
import type { Topics } from '../../../../packages/kafka/test/broker-promises/topics.ts'
import {
  FIRST,
  SECOND,
  startTwoBrokers,
} from '../../../../packages/kafka/test/broker-promises/two-brokers.ts'
import type { TwoBrokers } from '../../../../packages/kafka/test/broker-promises/two-brokers.ts'
import { connect } from '../../../../packages/kafka/test/support.ts'
import type { DerivedPartition } from '../../src/derive/partition-logs.ts'
import { partitionOf, startOwner } from '../support/derivation.ts'
import type { Owner } from '../support/derivation.ts'

const within = { deadlineMs: 90_000, everyMs: 50 }
let both: TwoBrokers
let topics: Topics
let cluster: Cluster
let producer: BatchProducer
const owners: Owner[] = []

beforeAll(async () => {
  both = await startTwoBrokers()
  topics = openTopics(both.brokers)
  cluster = openCluster(both.brokers)
  const limits = { produceTimeoutMs: 90_000, inFlightBytesMax: 1_000_000 }
  producer = createBatchProducer(connect(both.brokers), limits)
}, 180_000)

afterAll(async () => {
  await Promise.all(owners.map(({ stop }) => stop()))
  await producer.close()
  await cluster.close()
  await topics.close()
  await both.stop()
})

type Derived = { readonly of: DerivedPartition; readonly expected: string[] }

/**
 * `input` lists the brokers with replicas of the input topic, and `logs` those of the derived topics. The leader comes
 * first.
 */
async function derived(input: readonly number[], logs: readonly number[]): Promise<Derived> {
  const [inputTopic, outputTopic, deadLetterTopic] = await Promise.all([
    topics.make('in', { replicas: input, configs: {} }),
    topics.make('out', { replicas: logs }),
    topics.make('dead', { replicas: logs }),
  ])
  return { of: partitionOf({ inputTopic, outputTopic, deadLetterTopic }), expected: [] }
}

function own({ of }: Derived): Owner {
  const owner = startOwner(of, { kafka: connect(both.brokers) })
  owners.push(owner)
  return owner
}

async function write(all: readonly Derived[], count: number, pauseMs = 0): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await Promise.all(all.map((one) => writeOne(one, `v${one.expected.length}`)))
    if (pauseMs > 0) await delay(pauseMs)
  }
}

async function writeOne({ of, expected }: Derived, value: string): Promise<void> {
  const record = { key: 'k', value: Buffer.from(value), headers: {}, timestampMs: Date.now() }
  await producer.send(of.inputTopic, of.partition, record)
  expected.push(value)
}

async function valuesIn({ of: { outputTopic: topic, partition } }: Derived): Promise<string[]> {
  return valuesOf(await readLog(cluster, { topic, partition }))
}

const untilDerived = (all: readonly Derived[]) =>
  pollUntil(
    async () => {
      const found = await Promise.all(all.map(valuesIn))
      return found.every((values, index) => values.length >= (all[index]?.expected.length ?? 0))
    },
    { ...within, what: 'what was written' },
  )

test('leaders die and come back, of the input, of the derived log, and without another to lead, and each record is derived once', async () => {
  // Given
  const [input, output, alone] = [
    await derived([SECOND, FIRST], [FIRST]),
    await derived([FIRST], [SECOND, FIRST]),
    await derived([FIRST], [SECOND]),
  ]
  const all = [input, output, alone]
  const [, , former] = all.map(own)
  await write(all, 20)
  await untilDerived(all)

  // When a leader dies while records flow, and another replica acquires the partition without a leader
  const writing = write(all, 100, 10)
  await both.second.killBroker()
  await former?.stop()
  own(alone)
  await writing
  await untilDerived([input, output])

  // and the broker comes back while records flow
  const more = write(all, 100, 10)
  await both.second.restartBroker()
  await more
  await untilDerived(all)

  // Then
  for (const one of all) expect(await valuesIn(one)).toEqual(one.expected)
}, 400_000)
