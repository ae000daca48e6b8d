// This replica's lease, and the clocks that measure it. Other replicas derive the partitions of a silent replica, so a
// silent replica must stop before they start. Reading the replica's own heartbeat back from `weir.replicas` renews the
// lease. The lease runs from the time when that heartbeat was sent, so a heartbeat that was delayed in a socket renews
// nothing. Pure.

/** A time by both clocks of this process. */
export type Instant = { readonly wallMs: number; readonly uptimeMs: number }

export type Lease = {
  /** When the first heartbeat of the current series without gaps was sent. */
  readonly since: Instant
  /** When the heartbeat that last renewed the lease was sent. */
  readonly renewed: Instant
}

/** A replica owns nothing after this time without a heartbeat. */
export const leaseMs = 10_000

/**
 * Returns the longer of the times by the two clocks: the wall clock can be set back, and the monotonic clock stops in a
 * suspended machine.
 */
export const elapsedMs = (since: Instant, at: Instant): number =>
  Math.max(at.wallMs - since.wallMs, at.uptimeMs - since.uptimeMs)

/** Renews the lease when the replica's own heartbeat, sent at `sent`, is read back. */
export function renew(lease: Lease | undefined, sent: Instant): Lease {
  const isUnbroken = lease !== undefined && elapsedMs(lease.renewed, sent) < leaseMs
  return { since: isUnbroken ? lease.since : sent, renewed: sent }
}

export const isHeld = (lease: Lease | undefined, at: Instant): lease is Lease =>
  lease !== undefined && elapsedMs(lease.renewed, at) < leaseMs
