// The records behind entries of a dead letter topic, as their input topic had them, in pieces that fit into memory. One
// that was dead-lettered without its value is read where it came from, as long as it is retained there.
import type { BrokerCalls } from '../protocol/broker-calls.ts'
import { readStep } from '../read/committed-range.ts'
import type { DeadEntry, DeadSpan } from './dead-scan.ts'
import type { SourceRecord } from '../protocol/source-record.ts'
import { SVC_ERROR, SVC_SOURCE } from './svc-source.ts'
import { earliestOffsets } from '../admin/topic-calls.ts'

export type DeadPiece = {
  readonly records: readonly SourceRecord[]
  /** Of which nothing is left to be derived. */
  readonly gone: readonly DeadEntry[]
}

/** The entries are in the order of their offsets. */
export async function* readDeadRecords(
  calls: BrokerCalls,
  span: DeadSpan,
  entries: readonly DeadEntry[],
): AsyncGenerator<DeadPiece> {
  const wanted = new Map(entries.map((entry) => [entry.offset, entry]))
  const to = (entries.at(-1)?.offset ?? -1n) + 1n
  for (const entry of entries) {
    if (!wanted.has(entry.offset)) continue
    const range = { topic: span.deadLetterTopic, partition: span.partition, from: entry.offset, to }
    const { records } = await calls.run('read a topic', (cluster) => readStep(cluster, range))
    const found = records.flatMap((record) => {
      const known = wanted.get(record.offset)
      return known && wanted.delete(record.offset) ? [{ entry: known, record }] : []
    })
    // Retention has taken it meanwhile.
    if (wanted.delete(entry.offset)) yield { records: [], gone: [entry] }
    yield* piecesOf(calls, span, found)
  }
}

type Found = { readonly entry: DeadEntry; readonly record: SourceRecord }

/** Those without a value come alone: each may be as large as a topic takes. */
async function* piecesOf(
  calls: BrokerCalls,
  span: DeadSpan,
  found: readonly Found[],
): AsyncGenerator<DeadPiece> {
  let records: SourceRecord[] = []
  for (const { entry, record } of found) {
    if (record.value !== null) {
      records.push(asInput(entry, record))
      continue
    }
    yield { records, gone: [] }
    records = []
    const source = await readSource(calls, span, entry)
    yield source ? { records: [source], gone: [] } : { records, gone: [entry] }
  }
  yield { records, gone: [] }
}

async function readSource(
  calls: BrokerCalls,
  { inputTopic: topic, partition }: DeadSpan,
  { source }: DeadEntry,
): Promise<SourceRecord | undefined> {
  const range = { topic, partition, from: source, to: source + 1n }
  return calls.run('read a record', async (cluster) => {
    const earliest = (await earliestOffsets(cluster, topic))[partition] ?? 0n
    return source < earliest ? undefined : (await readStep(cluster, range)).records[0]
  })
}

function asInput({ source }: DeadEntry, record: SourceRecord): SourceRecord {
  const { [SVC_SOURCE]: _source, [SVC_ERROR]: _error, ...headers } = record.headers
  return { ...record, offset: source, headers }
}
