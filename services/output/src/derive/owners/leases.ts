// This replica's lease, and the time that it is measured by. Other replicas derive the partitions of a silent one, so
// it must stop before they start. The lease is renewed when the own heartbeat is read back from `weir.replicas`, and
// runs from when that heartbeat was sent: one that lay in a socket while the process stood still renews nothing. Pure.

/** A time by both clocks of this process. */
export type Instant = { readonly wallMs: number; readonly uptimeMs: number }

export type Lease = {
  /** When the first heartbeat of the current series without a gap was sent. */
  readonly since: Instant
  /** When the last one was sent. */
  readonly renewed: Instant
}

/** A replica without a heartbeat for this long owns nothing. */
export const leaseMs = 10_000

/**
 * The larger one counts: the wall clock can be set back, and the monotonic clock stands still in a suspended machine.
 */
export const elapsedMs = (since: Instant, at: Instant): number =>
  Math.max(at.wallMs - since.wallMs, at.uptimeMs - since.uptimeMs)

/** Renews the lease by the own heartbeat, which was sent at `sent` and is read back now. */
export function renew(lease: Lease | undefined, sent: Instant): Lease {
  const isUnbroken = lease !== undefined && elapsedMs(lease.renewed, sent) < leaseMs
  return { since: isUnbroken ? lease.since : sent, renewed: sent }
}

export const isHeld = (lease: Lease | undefined, at: Instant): lease is Lease =>
  lease !== undefined && elapsedMs(lease.renewed, at) < leaseMs
