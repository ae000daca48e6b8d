// What of a partition of a dead letter topic is pending: dead letters that no later marker says are done with. Topics
// may be long, so a stretch is looked at as a window of so many dead letters, whatever comes after it, and of
// each only what is needed to find it again is held. It decrypts nothing and writes nothing.
import { eventTimeOf } from '@weir/contracts'
import type { RangeReader, SourceRecord } from '@weir/kafka'
import { readOrigin, retriedOutcome, SVC_ERROR } from '../records/headers.ts'

export type DeadEntry = {
  readonly partition: number
  /** In the dead letter topic. */
  readonly offset: bigint
  /** Of the input record. */
  readonly source: bigint
  readonly code: string
  /** The header `svc-schema-id`. */
  readonly schemaId: string
  /** Of the input record. */
  readonly timestampMs: number
}

export type DeadSpan = {
  readonly deadLetterTopic: string
  readonly inputTopic: string
  /** The full name of the input topic, as sources have it. */
  readonly sourceTopic: string
  readonly partition: number
  readonly from: bigint
  /** The committed end; not itself part of it. */
  readonly to: bigint
}

export type DeadWindow = {
  /** By source. */
  readonly pending: Map<bigint, DeadEntry>
  /** Where the next window begins. */
  readonly next: bigint
}

type Reader = Pick<RangeReader, 'read'>

const WINDOW_RECORDS_MAX = 50_000
// Headers of strangers may have any length.
const TEXT_LENGTH_MAX = 200

/** Undefined when it may not go on, which it asks between reads. */
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

/** What the markers of a stretch say was done with, and how. */
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

/** Those that come from this partition of the input. False when it was told not to go on. */
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
