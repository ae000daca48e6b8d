// What this replica's heartbeat says it is ready to derive. Such a replica gets partitions, so control state must be
// fresh. If it lacks keys, the heartbeat says so (`sealedRings`), and it gets partitions only if all others lack keys,
// too.
import type { StateFollower } from '@weir/control-state'

type ReadyOptions = {
  readonly follower: Pick<StateFollower, 'isFresh'>
  readonly decrypterNames: readonly string[]
}

/** For `startHeartbeats`, which calls it for each heartbeat. */
export const readyNames =
  ({ follower, decrypterNames }: ReadyOptions) =>
  (): readonly string[] | undefined =>
    follower.isFresh() ? decrypterNames : undefined
