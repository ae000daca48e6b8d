// The streams that this replica's heartbeat declares as ready to derive. The declaration gives the replica partitions,
// so control state must be fresh. A replica that lacks keys says so in its heartbeat (`sealedRings`), and gets
// partitions only if all others lack keys, too.
import type { StateFollower } from '@weir/control-state'

type ReadyOptions = {
  readonly follower: Pick<StateFollower, 'isFresh'>
  readonly decrypterNames: readonly string[]
}

/** Used by `startHeartbeats`, which calls it for each heartbeat. */
export const readyNames =
  ({ follower, decrypterNames }: ReadyOptions) =>
  (): readonly string[] | undefined =>
    follower.isFresh() ? decrypterNames : undefined
