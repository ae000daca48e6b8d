// Where a derivation goes on in a partition (docs/architecture.md 3): at the group's committed offset; when
// Kafka has none, or has forgotten it, or it lies further back, after the source of the last record derived or dead-lettered; when
// there is none, where the derivation was told to start. A client's default is never used.
import type Cluster from 'kafkajs/src/cluster/index.js'

import type { BrokerCalls } from '../protocol/broker-calls.ts'
import type { DeriveOptions } from './derivation.ts'
import { findLastSource } from './svc-source.ts'
import { committedOffsets, earliestOffsets, endOffsets } from '../admin/topic-calls.ts'
import { KafkaError } from '../errors.ts'

export type FoundPosition = {
  readonly next: bigint
  /** Where it would have gone on, had retention not removed what lies before `next`. */
  readonly wanted: bigint
}

export async function findPosition(
  calls: BrokerCalls,
  options: DeriveOptions,
  partition: number,
): Promise<FoundPosition> {
  const { groupId, inputTopic } = options
  const found = await calls.run('read offsets', async (cluster) => {
    const committed = (await committedOffsets(cluster, groupId, inputTopic))[partition]
    return {
      committed,
      lastSource: await findLastOfBoth(cluster, options, partition),
      earliest: (await earliestOffsets(cluster, inputTopic))[partition] ?? 0n,
      end: (await endOffsets(cluster, inputTopic, 'read_uncommitted'))[partition] ?? 0n,
    }
  })
  const { committed, lastSource, earliest, end } = found
  const afterLastSource = lastSource === undefined ? undefined : lastSource + 1n
  const wanted = later(committed, afterLastSource) ?? (await options.startOffset(partition))
  if (wanted < earliest) return { next: earliest, wanted }
  if (wanted <= end) return { next: wanted, wanted }
  // The input lost its tail. What is written in its place must not be passed over.
  options.onError(
    new KafkaError('kafka.input_shrunk', 'the input ends before what was derived'),
    partition,
  )
  return { next: end, wanted: end }
}

/** What is seen as derived isn't derived again, even if the offset that belongs to it was lost. */
function later(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a
}

/** The input offset of the last record derived or dead-lettered that readers see. */
export async function findLastOfBoth(
  cluster: Cluster,
  {
    inputTopic,
    outputTopic,
    deadLetterTopic,
  }: Pick<DeriveOptions, 'inputTopic' | 'outputTopic' | 'deadLetterTopic'>,
  partition: number,
): Promise<bigint | undefined> {
  const derived = await findLastSource(cluster, { topic: outputTopic, inputTopic, partition })
  const dead = await findLastSource(cluster, { topic: deadLetterTopic, inputTopic, partition })
  return derived === undefined || (dead !== undefined && dead > derived) ? dead : derived
}
