// The headers that identify output's own records. The header `svc-source` names the input record. Output finds its
// position with this header, and anyone can check that no record is missing or doubled.
import type { SourceRecord } from '@weir/kafka'

/** The location of an input record, with the full name of its topic. */
export type Origin = {
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
}

export const SVC_SOURCE = 'svc-source'
/** On a dead letter: the code for the reason. */
export const SVC_ERROR = 'svc-error'
/** On records that a retry writes: on a derived record, and on the marker that a dead letter is done. */
export const SVC_RETRIED = 'svc-retried'

// svc-source = topic "/" 1*DIGIT "/" 1*DIGIT       ; partition, then offset; a topic name has no "/"
const FORM = /^([^/]+)\/(\d+)\/(\d+)$/

export const writeOrigin = ({ topic, partition, offset }: Origin): string =>
  `${topic}/${partition}/${offset}`

export function readOrigin({ headers }: SourceRecord): Origin | undefined {
  const [, topic, partition, offset] = FORM.exec(headers[SVC_SOURCE]?.toString() ?? '') ?? []
  if (topic === undefined || partition === undefined || offset === undefined) return undefined
  return { topic, partition: Number(partition), offset: BigInt(offset) }
}

/**
 * Returns the outcome if a retry wrote the record, else undefined. A dead letter doesn't count: its input record's
 * writer may have set the header.
 */
export const retriedOutcome = ({ headers }: SourceRecord): string | undefined =>
  headers[SVC_ERROR] === undefined ? headers[SVC_RETRIED]?.toString() : undefined
