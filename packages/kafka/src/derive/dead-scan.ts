// What of a partition of a dead letter topic is pending: dead records that no later marker says are done with. Topics
// may be long, so a stretch is looked at as a window of so many dead records, whatever comes after it, and of
// each only what is needed to find it again is held. It opens nothing and writes nothing.
import type { BrokerCalls } from '../protocol/broker-calls.ts'
import { readStep } from '../read/committed-range.ts'
import type { SourceRecord } from '../protocol/source-record.ts'
import { readSource, retriedOutcome, SVC_ERROR } from './svc-source.ts'

export type DeadEntry = {
  readonly partition: number
  /** In the dead letter topic. */
  readonly offset: bigint
  /** Of the input record. */
  readonly source: bigint
  readonly code: string
  /** The header `svc-schema-id`. */
  readonly schemaId: string
  readonly timestampMs: number
}

export type DeadSpan = {
  readonly deadLetterTopic: string
  readonly inputTopic: string
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

const WINDOW_RECORDS_MAX = 50_000
// Headers of strangers may have any length.
const TEXT_LENGTH_MAX = 200

export async function scanWindow(
  calls: BrokerCalls,
  span: DeadSpan,
  onStep: () => void = () => undefined,
): Promise<DeadWindow> {
  const pending = new Map<bigint, DeadEntry>()
  let seen = 0
  let end: bigint | undefined
  await eachRecord(
    calls,
    span,
    (record) => {
      const source = sourceIn(span, record)
      if (source === undefined) return
      if (retriedOutcome(record) !== undefined) return void pending.delete(source)
      if (end !== undefined) return
      if (seen === WINDOW_RECORDS_MAX) {
        end = record.offset
        return
      }
      seen += 1
      pending.set(source, entryOf(record, source))
    },
    onStep,
  )
  return { pending, next: end ?? span.to }
}

/** What the markers of a stretch say was done with, and how. */
export async function scanMarkers(
  calls: BrokerCalls,
  span: DeadSpan,
  onMarker: (source: bigint, outcome: string) => void,
): Promise<void> {
  await eachRecord(calls, span, (record) => {
    const source = sourceIn(span, record)
    const outcome = retriedOutcome(record)
    if (source !== undefined && outcome !== undefined) onMarker(source, outcome)
  })
}

async function eachRecord(
  calls: BrokerCalls,
  { deadLetterTopic, partition, from, to }: DeadSpan,
  onRecord: (record: SourceRecord) => void,
  onStep: () => void = () => undefined,
): Promise<void> {
  for (let at = from; at < to;) {
    onStep()
    const range = { topic: deadLetterTopic, partition, from: at, to }
    const { records, next } = await calls.run('read a topic', (cluster) => readStep(cluster, range))
    for (const record of records) onRecord(record)
    at = next
  }
}

function sourceIn({ inputTopic, partition }: DeadSpan, record: SourceRecord): bigint | undefined {
  const source = readSource(record)
  const isOurs = source?.topic === inputTopic && source.partition === partition
  return isOurs ? source.offset : undefined
}

function entryOf(
  { offset, partition, headers, timestampMs }: SourceRecord,
  source: bigint,
): DeadEntry {
  const textOf = (name: string) => headers[name]?.toString('utf8', 0, TEXT_LENGTH_MAX) ?? ''
  const texts = { code: textOf(SVC_ERROR), schemaId: textOf('svc-schema-id') }
  return { partition, offset, source, ...texts, timestampMs }
}
