// The headers by which output knows its own records. `svc-source` on each says which input record it comes from: by it anyone can
// check that nothing is missing or doubled, and output finds out how far it was.
import type { SourceRecord } from '@weir/kafka'

/** The place of an input record, by the full name of its topic. */
export type Origin = {
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
}

export const SVC_SOURCE = 'svc-source'
/** On a dead letter: why it is one. */
export const SVC_ERROR = 'svc-error'
/** On what a retry wrote: a derived record that comes late, and the marker that its dead letter is done with. */
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

/** Of what a retry wrote. A dead letter may have that header from whoever wrote it into the input. */
export const retriedOutcome = ({ headers }: SourceRecord): string | undefined =>
  headers[SVC_ERROR] === undefined ? headers[SVC_RETRIED]?.toString() : undefined
