// Leases of auth's replicas. A lease avoids work that all replicas but one would do in vain. It protects no data: a
// transaction fails if another replica was faster.
import type { ReplicaLease } from '@weir/control-state'

export type Leasing = {
  /** The id of this auth replica. */
  readonly replica: string
  readonly now: () => number
}

export const leaseFor = ({ replica, now }: Leasing, ms: number): ReplicaLease => ({
  replica,
  untilMs: now() + ms,
})

export const isElsewhere = ({ replica, now }: Leasing, lease: ReplicaLease | undefined): boolean =>
  lease !== undefined && lease.replica !== replica && now() < lease.untilMs
