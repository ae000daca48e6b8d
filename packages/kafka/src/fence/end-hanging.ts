// Ensures that no transaction is open in the logs of a transactor before the transactor writes. Kafka may report a
// former owner's transaction as ended although it is still open in a log (left-open.ts). Acquiring the logs ends the
// transaction there, with its true outcome. A transaction of an unrelated producer can't be ended, and would hide later
// commits from readers.
import { delay } from '@weir/kit'

import { endOffsets, leaderOf, needTopic } from '../connect/topic-calls.ts'
import { createBrokerCalls } from '../connect/broker-calls.ts'
import type { BrokerCalls, KafkaBrokers } from '../connect/broker-calls.ts'
import type { Kafka } from '../connect/internals.ts'
import { createFencer } from './acquire.ts'
import type { Acquiring } from './acquire.ts'
import { findOpen, findProducer, isOpenOf } from './left-open.ts'
import type { OpenIn } from './left-open.ts'
import { KafkaError } from '../errors.ts'

type Of = Omit<Acquiring, 'deadlineMs'>

const ACQUIRED_WITHIN_MS = 15_000
const ENDED_WITHIN_MS = 5_000
const LOOK_EVERY_MS = 20

/**
 * Ends open transactions of former owners, calls `take` to acquire the transactional id, and waits until no transaction
 * is open.
 */
export async function takeEnded<T>(kafka: Kafka, of: Of, take: () => Promise<T>): Promise<T> {
  const calls = createBrokerCalls(kafka)
  try {
    await endHanging(kafka, calls, of)
    const taken = await take()
    await untilAllEnded(calls, of)
    return taken
  } finally {
    await calls.close()
  }
}

/**
 * Fences the logs if a transaction is open in one. Must run before the transactional id is acquired, because that could
 * abort a transaction that must be committed. Throws what `acquire` throws.
 */
async function endHanging(kafka: Kafka, calls: BrokerCalls, of: Of): Promise<void> {
  const open = await calls.run('look for open transactions', (brokers) => openIn(brokers, of))
  if (open.every(({ begins }) => begins.size === 0)) return
  const fencer = createFencer(kafka)
  await fencer.acquire({ ...of, deadlineMs: ACQUIRED_WITHIN_MS }).finally(fencer.close)
}

/**
 * Resolves when each log's end equals its committed end. After a few seconds, throws KafkaError `kafka.fenced` if
 * another owner's transaction is open, or `kafka.hanging_transaction` if an unrelated producer's transaction is open.
 */
async function untilAllEnded(calls: BrokerCalls, of: Of): Promise<void> {
  const isEnded = () =>
    calls.run('look for open transactions', (brokers) => areEnded(brokers, of.partitions))
  const until = performance.now() + ENDED_WITHIN_MS
  while (!(await isEnded())) {
    if (performance.now() > until) throw await reasonOf(calls, of)
    await delay(LOOK_EVERY_MS)
  }
}

async function areEnded(brokers: KafkaBrokers, partitions: Of['partitions']): Promise<boolean> {
  const ended = partitions.map(async ({ topic, partition }) => {
    // In this order, a record that is written and committed between the two requests doesn't look open.
    const to = (await endOffsets(brokers, topic, 'read_uncommitted'))[partition] ?? 0n
    const committed = (await endOffsets(brokers, topic, 'read_committed'))[partition] ?? 0n
    return committed >= to
  })
  return (await Promise.all(ended)).every(Boolean)
}

function reasonOf(calls: BrokerCalls, of: Of): Promise<KafkaError> {
  return calls.run('check an open transaction', async (brokers) => {
    const own = await findProducer(brokers, of.transactionalId)
    const open = await openIn(brokers, of)
    return own && isOpenOf(open, own.producerId)
      ? new KafkaError('kafka.fenced', 'another owner was interrupted there meanwhile')
      : new KafkaError(
          'kafka.hanging_transaction',
          'a transaction of another producer is open there',
        )
  })
}

async function openIn(brokers: KafkaBrokers, { partitions }: Of): Promise<OpenIn> {
  const logs = partitions.map(async ({ topic, partition }) => {
    const { id, partitions: all } = await needTopic(brokers, topic)
    const leader = leaderOf(all.find((one) => one.partition === partition) ?? { leader: undefined })
    return { topic, topicId: id, partition, leader }
  })
  return findOpen(brokers, await Promise.all(logs))
}
