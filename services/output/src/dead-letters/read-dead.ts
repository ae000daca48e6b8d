// Reads dead letters as the input records that they were, in portions that fit into memory. A record that was
// dead-lettered without its value is read from the input topic, if it still exists there.
import { eventTimeOf, timeHeader } from '@weir/contracts'
import type { LogOffsets, RangeReader, SourceRecord } from '@weir/kafka'
import { SVC_ERROR, SVC_SOURCE } from '../records/headers.ts'
import type { DeadEntry, DeadSpan } from './dead-scan.ts'

export type DeadPiece = {
  readonly records: readonly SourceRecord[]
  /** Entries whose records no longer exist. */
  readonly gone: readonly DeadEntry[]
}

export type ReadDeps = {
  readonly reader: Pick<RangeReader, 'read'>
  readonly offsets: Pick<LogOffsets, 'earliest'>
}

/** The entries must be in the order of their offsets. */
export async function* readDeadRecords(
  deps: ReadDeps,
  span: DeadSpan,
  entries: readonly DeadEntry[],
): AsyncGenerator<DeadPiece> {
  const { deadLetterTopic: topic, partition } = span
  const wanted = new Map(entries.map((entry) => [entry.offset, entry]))
  const to = (entries.at(-1)?.offset ?? -1n) + 1n
  for (const entry of entries) {
    if (!wanted.has(entry.offset)) continue
    const records = await firstOf(deps, { topic, partition, from: entry.offset, to })
    const found = records.flatMap((record) => {
      const known = wanted.get(record.offset)
      return known && wanted.delete(record.offset) ? [{ entry: known, record }] : []
    })
    // Kafka's retention has removed the record meanwhile.
    if (wanted.delete(entry.offset)) yield { records: [], gone: [entry] }
    yield* piecesOf(deps, span, found)
  }
}

/** Returns the records of the range's first fetch. */
async function firstOf(
  { reader }: ReadDeps,
  range: Parameters<RangeReader['read']>[0],
): Promise<readonly SourceRecord[]> {
  let first: readonly SourceRecord[] = []
  await reader.read(range, async (records) => {
    first = records
    return false
  })
  return first
}

type Found = { readonly entry: DeadEntry; readonly record: SourceRecord }

/** Yields each record of the input topic separately, because it may have the maximum size. */
async function* piecesOf(
  deps: ReadDeps,
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
    const source = await readInput(deps, span, entry)
    yield source ? { records: [source], gone: [] } : { records, gone: [entry] }
  }
  yield { records, gone: [] }
}

async function readInput(
  deps: ReadDeps,
  { inputTopic: topic, partition }: DeadSpan,
  { source }: DeadEntry,
): Promise<SourceRecord | undefined> {
  const earliest = (await deps.offsets.earliest(topic))[partition] ?? 0n
  if (source < earliest) return undefined
  return (await firstOf(deps, { topic, partition, from: source, to: source + 1n }))[0]
}

function asInput({ source }: DeadEntry, record: SourceRecord): SourceRecord {
  const {
    [SVC_SOURCE]: _source,
    [SVC_ERROR]: _error,
    [timeHeader]: _time,
    ...headers
  } = record.headers
  return { ...record, offset: source, timestampMs: eventTimeOf(record), headers }
}
