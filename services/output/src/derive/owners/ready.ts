// Returns the decrypterNames that this replica's heartbeat declares. A declared name gives the replica partitions, so
// control state must be fresh. A replica that lacks keys says so in its heartbeat (`sealedRings`), and gets partitions
// only if all other replicas lack keys, too.
import type { StateFollower } from '@weir/control-state'

type ReadyOptions = {
  readonly follower: Pick<StateFollower, 'isFresh'>
  readonly decrypterNames: readonly string[]
}

/** `startHeartbeats` calls the returned function for each heartbeat. */
export const readyNames =
  ({ follower, decrypterNames }: ReadyOptions) =>
  (): readonly string[] | undefined =>
    follower.isFresh() ? decrypterNames : undefined
