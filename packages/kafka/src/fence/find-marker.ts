// Whether a fence has left its marker in a partition's log, and where: from there on the broker refuses all who wrote there under
// the same transactional id before. Kafka 4.3.1 says that a transaction has ended although a marker is missing (KAFKA-20734).
import type { Brokers } from '../connect/broker-calls.ts'
import { batchesIn } from '../protocol/fetched-batches.ts'
import type { FetchedBatch } from '../protocol/fetched-batches.ts'
import { fetchOnce } from '../read/fetch-once.ts'
import type { LedPartition } from '../read/fetch-once.ts'
import type { Identity } from '../produce/identities.ts'

export type MarkerSought = {
  /** Where the log ended before. */
  readonly from: bigint
  readonly identity: Identity
}

const FETCH = {
  bytesMax: 1_048_576,
  waitMs: 0,
  isCommittedOnly: false,
  purpose: 'control',
} as const

/** Undefined when there is none up to the end, as the leader shows it now. */
export async function findMarker(
  brokers: Brokers,
  place: LedPartition,
  { from, identity }: MarkerSought,
): Promise<bigint | undefined> {
  const isIt = ({ isMarker, producerId, producerEpoch }: FetchedBatch) =>
    isMarker && producerId === identity.id && producerEpoch === identity.epoch
  for (let next = from; ;) {
    const { records, highWatermark } = await fetchOnce(brokers, place, { ...FETCH, from: next })
    const batches = batchesIn(records)
    const found = batches.find(isIt)
    if (found) return found.firstOffset
    next = batches.at(-1)?.next ?? highWatermark
    if (next >= highWatermark) return undefined
  }
}
