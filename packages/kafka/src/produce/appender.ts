// Writes to partitions for their owners, exactly once and without transactions, with the producer identities of their
// fences. Shares the request queues of the handle's producers.
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import { createAppendLane } from './append-lane.ts'
import type { AppendBatch, AppendLane, LanePlace } from './append-lane.ts'
import { createDelivery } from './delivery.ts'
import { createPlaces } from './places.ts'
import { produceRequestsOf } from './requests.ts'

export type Appender = {
  /** Returns a new writer. Call once per fence. */
  lane(place: LanePlace): AppendLane
  /** Close all lanes first. */
  close(): void
}

const STEP_TIMEOUT_MS = 3_000

export function createAppender(kafka: Kafka): Appender {
  const { cluster } = internalsOf(kafka)
  const leave = cluster.join()
  const requests = produceRequestsOf(kafka)
  const deliver = createDelivery<AppendBatch>({
    places: createPlaces(cluster, STEP_TIMEOUT_MS),
    requests,
    identify: ({ identity, sequence }) => Promise.resolve({ ...identity, sequence }),
  })
  return {
    lane: (place) => createAppendLane(place, { deliver, giveUp: requests.giveUp }),
    close: leave,
  }
}
