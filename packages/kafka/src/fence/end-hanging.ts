// Ends what a former owner of a partition left open there, although it is fenced and Kafka takes his transaction for
// ended. Kafka 4.3.1 leaves markers out when a transaction ends while one of its partitions has no leader (KAFKA-20734):
// its records then lie between the committed end and the real one, and the next marker of that transactional id would
// count them, whatever had become of them. So before anything is written they are ended as they should have been.
import type Cluster from 'kafkajs/src/cluster/index.js'

import { delay, hasCode } from '@weir/kit'

import type { BrokerCalls } from '../protocol/broker-calls.ts'
import { firstUncommitted, readCommitted } from '../read/committed-range.ts'
import type { DeriveOptions } from '../derive/derivation.ts'
import { findLastOfBoth } from '../derive/find-position.ts'
import type { SourceRecord } from '../protocol/source-record.ts'
import { readSource, retriedOutcome } from '../derive/svc-source.ts'
import type { Source } from '../derive/svc-source.ts'
import { committedOffsets, earliestOffsets, endOffsets } from '../admin/topic-calls.ts'
import type { Transactor } from './transactor.ts'
import { KafkaError } from '../errors.ts'

export type HangingOptions = Pick<
  DeriveOptions,
  'groupId' | 'inputTopic' | 'outputTopic' | 'deadLetterTopic'
>

export type HangingDeps = {
  readonly calls: BrokerCalls
  /** Under the partition's transactional id, which has just been taken. */
  readonly transactor: Transactor
}

/** A topic in which the partition has something open, and the first record of it. */
type Hanging = { readonly topic: string; readonly first: SourceRecord | undefined }

const MARKERS_ON_THEIR_WAY_MS = 1_000
const ENDED_WITHIN_MS = 5_000
const LOOK_EVERY_MS = 20
/** More than a transaction of a retry holds, markers of transactions included. */
const RETRIED_AT_ONCE_MAX = 2_000n

/**
 * Resolves when derived and dead partition end where their committed records end. Nobody else may write them.
 * @throws KafkaError `kafka.hanging_transaction` when somebody else's transaction is open there.
 */
export async function endHanging(
  { calls, transactor }: HangingDeps,
  options: HangingOptions,
  partition: number,
): Promise<void> {
  const look = () =>
    calls.run('look for open transactions', (cluster) => findHanging(cluster, options, partition))
  const hanging = await untilNone(look, MARKERS_ON_THEIR_WAY_MS)
  if (hanging.length === 0) return
  const isCommitted = await calls.run('check an open transaction', (cluster) =>
    wasCommitted(cluster, options, { partition, hanging }),
  )
  await endAs(transactor, options, { partition, isCommitted })
  const left = await untilNone(look, ENDED_WITHIN_MS)
  if (left.length > 0)
    throw new KafkaError(
      'kafka.hanging_transaction',
      'a transaction of another producer is open there',
    )
}

async function untilNone(look: () => Promise<Hanging[]>, forMs: number): Promise<Hanging[]> {
  const until = performance.now() + forMs
  for (;;) {
    const hanging = await look()
    if (hanging.length === 0 || performance.now() > until) return hanging
    await delay(LOOK_EVERY_MS)
  }
}

async function findHanging(
  cluster: Cluster,
  { outputTopic, deadLetterTopic }: HangingOptions,
  partition: number,
): Promise<Hanging[]> {
  const found: Hanging[] = []
  for (const topic of [outputTopic, deadLetterTopic]) {
    const from = (await endOffsets(cluster, topic, 'read_committed'))[partition] ?? 0n
    const to = (await endOffsets(cluster, topic, 'read_uncommitted'))[partition] ?? 0n
    if (from >= to) continue
    found.push({ topic, first: await firstUncommitted(cluster, { topic, partition, from, to }) })
  }
  return found
}

/**
 * What a transaction holds counts or doesn't count as a whole, so it is judged by the parts of it that were ended:
 * the group's offset and the other topic. Where nothing of it was ended nobody has seen it, and it is done anew.
 */
async function wasCommitted(
  cluster: Cluster,
  options: HangingOptions,
  { partition, hanging }: { partition: number; hanging: readonly Hanging[] },
): Promise<boolean> {
  const { groupId, inputTopic, outputTopic, deadLetterTopic } = options
  const [first] = hanging.flatMap((one) => one.first ?? [])
  const source = first && readSource(first)
  if (source?.topic !== inputTopic) return false
  if (first !== undefined && retriedOutcome(first) !== undefined) {
    const isEnded = (topic: string) => hanging.every((one) => one.topic !== topic)
    const ended = [outputTopic, deadLetterTopic].find(isEnded)
    return ended !== undefined && hasRetried(cluster, { topic: ended, partition }, source)
  }
  const next = (await committedOffsets(cluster, groupId, inputTopic))[partition] ?? 0n
  const last = (await findLastOfBoth(cluster, options, partition)) ?? -1n
  return next > source.offset || last >= source.offset
}

/** Whether a retry's last transaction, with which the partition ends, had that source in it. */
async function hasRetried(
  cluster: Cluster,
  { topic, partition }: { topic: string; partition: number },
  source: Source,
): Promise<boolean> {
  const to = (await endOffsets(cluster, topic, 'read_committed'))[partition] ?? 0n
  const earliest = (await earliestOffsets(cluster, topic))[partition] ?? 0n
  const from = to - earliest > RETRIED_AT_ONCE_MAX ? to - RETRIED_AT_ONCE_MAX : earliest
  const records = await readCommitted(cluster, { topic, partition, from, to })
  return records.some(
    (record) =>
      retriedOutcome(record) !== undefined && readSource(record)?.offset === source.offset,
  )
}

async function endAs(
  transactor: Transactor,
  { outputTopic, deadLetterTopic, groupId }: HangingOptions,
  { partition, isCommitted }: { partition: number; isCommitted: boolean },
): Promise<void> {
  try {
    await transactor.transaction(async (transaction) => {
      const topics = [outputTopic, deadLetterTopic]
      await transaction.join({ groupId, partitions: topics.map((topic) => ({ topic, partition })) })
      if (!isCommitted) throw new KafkaError('kafka.held_back', 'none of it counts')
    })
  } catch (error) {
    if (!hasCode(error, 'kafka.held_back')) throw error
  }
}
