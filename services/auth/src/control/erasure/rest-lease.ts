// The lease for unfinished erasures. One replica works on all those of a stream, because they change the same key
// records.
import type { ReplicaLease, StateFollower } from '@weir/control-state'
import { isElsewhere, leaseFor } from '../lease.ts'
import type { Leasing } from '../lease.ts'

/** Much longer than a transaction, each of which renews the lease. */
const leaseMs = 5_000

type RestLeasing = Leasing & {
  readonly follower: { readonly tables: Pick<StateFollower['tables'], 'unfinishedErasures'> }
}

/** Returns undefined while another replica has the lease. */
export function restLease(deps: RestLeasing, streamId: string): ReplicaLease | undefined {
  const leases = deps.follower.tables
    .unfinishedErasures()
    .filter((erasure) => erasure.streamId === streamId)
    .map(({ rest }) => rest?.worker)
  return leases.some((lease) => isElsewhere(deps, lease)) ? undefined : leaseFor(deps, leaseMs)
}
