// Finds a fence's marker in a partition's log. This check is needed because Kafka 4.3.1 may report a transaction as
// ended although a marker is missing (KAFKA-20734).
import type { KafkaBrokers } from '../connect/broker-calls.ts'
import { batchesIn } from '../protocol/fetched-batches.ts'
import type { FetchedBatch } from '../protocol/fetched-batches.ts'
import { fetchOnce } from '../read/fetch-once.ts'
import type { LedPartition } from '../read/fetch-once.ts'
import type { Identity } from '../produce/identities.ts'

export type MarkerSought = {
  /** The log end before the fence. */
  readonly from: bigint
  readonly identity: Identity
}

const FETCH = {
  bytesMax: 1_048_576,
  waitMs: 0,
  isCommittedOnly: false,
  purpose: 'control',
} as const

/** Returns the marker's offset, or undefined if there is no marker before the leader's high watermark. */
export async function findMarker(
  brokers: KafkaBrokers,
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
