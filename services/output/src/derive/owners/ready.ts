// What this replica's heartbeat says it is ready to derive. Who says so gets partitions of the others, so control state must be fresh.
// That it lacks keys the heartbeat says by itself (`sealedRings`): then it gets them only if all others do.
import type { StateFollower } from '@weir/control-state'

type ReadyOptions = {
  readonly follower: Pick<StateFollower, 'isFresh'>
  readonly decrypterNames: readonly string[]
}

/** For `startHeartbeats`, which asks for each heartbeat. */
export const readyNames =
  ({ follower, decrypterNames }: ReadyOptions) =>
  (): readonly string[] | undefined =>
    follower.isFresh() ? decrypterNames : undefined
