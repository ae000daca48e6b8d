// Finds the pending records of a dead letter partition: dead letters without a later marker that they are done. Topics
// may be long, so they are scanned in windows. A window contains a limited number of dead letters, each with only the
// data to find and show it. Markers after the window count, too. Nothing is decrypted or written.
import { eventTimeOf } from '@weir/contracts'
import type { RangeReader, SourceRecord } from '@weir/kafka'
import { readOrigin, retriedOutcome, SVC_ERROR } from '../records/headers.ts'

export type DeadEntry = {
  readonly partition: number
  /** The offset in the dead letter topic. */
  readonly offset: bigint
  /** The offset of the input record. */
  readonly source: bigint
  readonly code: string
  /** The header `svc-schema-id`. */
  readonly schemaId: string
  /** The time of the input record. */
  readonly timestampMs: number
}

export type DeadSpan = {
  readonly deadLetterTopic: string
  readonly inputTopic: string
  /** The full name of the input topic, as in `svc-source`. */
  readonly sourceTopic: string
  readonly partition: number
  readonly from: bigint
  /** The committed end, exclusive. */
  readonly to: bigint
}

export type DeadWindow = {
  /** The pending dead letters, by the offset of the input record. */
  readonly pending: Map<bigint, DeadEntry>
  /** The offset where the next window begins. */
  readonly next: bigint
}

type Reader = Pick<RangeReader, 'read'>

const WINDOW_RECORDS_MAX = 50_000
// Limited, because headers from other writers may have any length.
const TEXT_LENGTH_MAX = 200

/** Calls `mayGoOn` between reads. Returns undefined if `mayGoOn` returned false. */
export async function scanWindow(
  reader: Reader,
  span: DeadSpan,
  mayGoOn: () => boolean,
): Promise<DeadWindow | undefined> {
  const pending = new Map<bigint, DeadEntry>()
  let seen = 0
  let end: bigint | undefined
  const isWhole = await eachOurs(reader, { span, mayGoOn }, (record, source) => {
    if (retriedOutcome(record) !== undefined) return void pending.delete(source)
    if (end !== undefined) return
    if (seen === WINDOW_RECORDS_MAX) {
      end = record.offset
      return
    }
    seen += 1
    pending.set(source, entryOf(record, source))
  })
  return isWhole ? { pending, next: end ?? span.to } : undefined
}

/** Reports the markers of a span: the input records that are done, with their outcomes. */
export async function scanMarkers(
  reader: Reader,
  span: DeadSpan,
  onMarker: (source: bigint, outcome: string) => void,
): Promise<void> {
  await eachOurs(reader, { span, mayGoOn: () => true }, (record, source) => {
    const outcome = retriedOutcome(record)
    if (outcome !== undefined) onMarker(source, outcome)
  })
}

type Scan = { readonly span: DeadSpan; readonly mayGoOn: () => boolean }

/** Reports the records that come from this partition of the input. Returns false if `mayGoOn` returned false. */
async function eachOurs(
  reader: Reader,
  { span, mayGoOn }: Scan,
  onRecord: (record: SourceRecord, source: bigint) => void,
): Promise<boolean> {
  const { deadLetterTopic: topic, sourceTopic, partition, from, to } = span
  let isGoingOn = mayGoOn()
  if (!isGoingOn) return false
  await reader.read({ topic, partition, from, to }, async (records) => {
    for (const record of records) {
      const source = readOrigin(record)
      if (source?.topic === sourceTopic && source.partition === partition)
        onRecord(record, source.offset)
    }
    return (isGoingOn = mayGoOn())
  })
  return isGoingOn
}

function entryOf(record: SourceRecord, source: bigint): DeadEntry {
  const { offset, partition, headers } = record
  const textOf = (name: string) => headers[name]?.toString('utf8', 0, TEXT_LENGTH_MAX) ?? ''
  const texts = { code: textOf(SVC_ERROR), schemaId: textOf('svc-schema-id') }
  return { partition, offset, source, ...texts, timestampMs: eventTimeOf(record) }
}
