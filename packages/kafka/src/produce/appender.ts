// Writes partitions for their owners, exactly once: under the identities of their fences, without transactions. It
// shares the request queues of the handle's producers, and keeps only the callers' pending appends.
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import { createAppendLane } from './append-lane.ts'
import type { AppendBatch, AppendLane, LanePlace } from './append-lane.ts'
import { createDelivery } from './delivery.ts'
import { createPlaces } from './places.ts'
import { produceRequestsOf } from './requests.ts'

export type Appender = {
  /** Create one per fence. */
  lane(place: LanePlace): AppendLane
  /** Close its lanes first. */
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
