// Writes partitions for those who own them, exactly once: by identities that their fences have given, without transactions. It
// sends by the lines that all producers of the handle share, and keeps nothing beyond what its callers have handed over.
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import { createAppendLane } from './append-lane.ts'
import type { AppendBatch, AppendLane, LanePlace } from './append-lane.ts'
import { createDelivery } from './delivery.ts'
import { createPlaces } from './places.ts'
import { produceRequestsOf } from './requests.ts'

export type Appender = {
  /** To be made once for each fence. */
  lane(place: LanePlace): AppendLane
  /** Its lanes must be closed before. */
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
