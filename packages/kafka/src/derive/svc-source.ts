// The header `svc-source` on each derived record, which says what it was derived from: by it anyone can check
// that nothing is missing or doubled, and a deriver finds out how far it was when Kafka has forgotten.
import type Cluster from 'kafkajs/src/cluster/index.js'

import { readCommitted } from '../read/committed-range.ts'
import type { SourceRecord } from '../protocol/source-record.ts'
import { earliestOffsets, endOffsets } from '../admin/topic-calls.ts'

export type Source = {
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
}

export const SVC_SOURCE = 'svc-source'
/** On a dead record: why it is one. */
export const SVC_ERROR = 'svc-error'
/** On what a retry wrote: a derived record that comes late, and the marker that its dead record is done with. */
export const SVC_RETRIED = 'svc-retried'

const LOOK_BACK_FIRST = 64n
const LOOK_BACK_MAX = 65_536n

// svc-source = topic "/" 1*DIGIT "/" 1*DIGIT       ; partition, then offset; a topic name has no "/"
const FORM = /^([^/]+)\/(\d+)\/(\d+)$/

export function writeSource({ topic, partition, offset }: Source): string {
  return `${topic}/${partition}/${offset}`
}

export function readSource(record: SourceRecord): Source | undefined {
  const [, topic, partition, offset] = FORM.exec(record.headers[SVC_SOURCE]?.toString() ?? '') ?? []
  if (topic === undefined || partition === undefined || offset === undefined) return undefined
  return { topic, partition: Number(partition), offset: BigInt(offset) }
}

/** Of what a retry wrote. A dead record may have that header from whoever wrote it into the input. */
export function retriedOutcome({ headers }: SourceRecord): string | undefined {
  return headers[SVC_ERROR] === undefined ? headers[SVC_RETRIED]?.toString() : undefined
}

/**
 * The input offset that the last committed record of a partition came from. What a retry wrote doesn't count:
 * it comes late, from further back.
 */
export async function findLastSource(
  cluster: Cluster,
  { topic, inputTopic, partition }: { topic: string; inputTopic: string; partition: number },
): Promise<bigint | undefined> {
  const earliest = (await earliestOffsets(cluster, topic))[partition] ?? 0n
  let to = (await endOffsets(cluster, topic, 'read_committed'))[partition] ?? 0n
  for (let step = LOOK_BACK_FIRST; to > earliest; step = min(step * 4n, LOOK_BACK_MAX)) {
    const from = to - step > earliest ? to - step : earliest
    const records = await readCommitted(cluster, { topic, partition, from, to })
    for (const record of records.reverse()) {
      if (retriedOutcome(record) !== undefined) continue
      const source = readSource(record)
      if (source?.topic === inputTopic && source.partition === partition) return source.offset
    }
    to = from
  }
  return undefined
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
