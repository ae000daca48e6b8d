// Delivers fetched records to a reader in small portions, with pauses, because a partition with megabytes of records
// must not block the event loop.
import { setImmediate } from 'node:timers/promises'

import { batchesIn, recordsOf, visibleBatches } from '../protocol/fetched-batches.ts'
import type { FetchedPartition } from '../protocol/fetch.ts'
import type { SourceRecord } from '../protocol/source-record.ts'
import { endOf } from './fetch-reader.ts'
import type { Reader } from './fetch-reader.ts'

const RECORDS_AT_ONCE = 200
const TURN_MS = 3

/**
 * Ends early if the reader seeks or is closed during the delivery. `isRest` says that the log contains no records after
 * the fetched ones. Throws what the sink throws, and KafkaError `kafka.malformed`.
 */
export async function deliver(
  reader: Reader,
  fetched: FetchedPartition,
  isRest = false,
): Promise<void> {
  const { life, isolation, partition } = reader
  const isVisible = visibleBatches(isolation === 'read_committed' ? fetched.aborted : [])
  const end = endOf(reader, fetched)
  const turn = newTurn()
  let records: SourceRecord[] = []
  let next = reader.at
  let epoch = reader.lastEpoch

  for (const batch of batchesIn(fetched.records)) {
    const found = isVisible(batch) ? recordsOf(batch, partition) : []
    const read = Array.isArray(found) ? found : await found
    if (reader.life !== life) return
    // A batch may begin before the requested offset.
    for (const record of read) if (record.offset >= reader.at) records.push(record)
    if (batch.next > next) next = batch.next
    epoch = batch.leaderEpoch
    if (records.length < RECORDS_AT_ONCE) continue
    give(reader, { records, next, end, epoch })
    records = []
    if (turn.isOver()) await turn.next()
    if (reader.life !== life) return
  }
  if (isRest && end > next) next = end
  if (next > reader.at) give(reader, { records, next, end, epoch })
}

type Given = { records: readonly SourceRecord[]; next: bigint; end: bigint; epoch: number }

function give(reader: Reader, { records, next, end, epoch }: Given): void {
  const { life, at } = reader
  if (records.length > 0) reader.recordsMs = performance.now()
  // Set before the call, because the callback may seek.
  reader.at = next
  reader.lastEpoch = epoch
  try {
    reader.sink.onRecords(records, next, next > end ? next : end)
  } catch (error) {
    if (reader.life === life) reader.at = at
    throw error
  }
}

function newTurn() {
  let startedMs = performance.now()
  return {
    isOver: () => performance.now() - startedMs > TURN_MS,
    async next(): Promise<void> {
      await setImmediate()
      startedMs = performance.now()
    },
  }
}
