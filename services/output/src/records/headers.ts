// The headers by which output knows its own records. `svc-source` on each names its input record: by it anyone can
// check that nothing is missing or doubled, and output finds its position.
import type { SourceRecord } from '@weir/kafka'

/** The place of an input record, by the full name of its topic. */
export type Origin = {
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
}

export const SVC_SOURCE = 'svc-source'
/** On a dead letter: the code that says why. */
export const SVC_ERROR = 'svc-error'
/** On what a retry wrote: a derived record that comes late, or the marker that a dead letter is done. */
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
 * The outcome, if a retry wrote the record. A dead letter may have the header, too, from the writer of its input
 * record.
 */
export const retriedOutcome = ({ headers }: SourceRecord): string | undefined =>
  headers[SVC_ERROR] === undefined ? headers[SVC_RETRIED]?.toString() : undefined
