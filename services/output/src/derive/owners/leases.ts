// This replica's lease, and the time that it is measured by. Others derive what a silent replica had, so a replica must refuse
// itself before they do. The lease is renewed by the own heartbeat read back from `weir.replicas`, and runs from when that
// heartbeat was sent: one that lay in a socket while the process stood still renews nothing. Pure.

/** By both clocks of this process. */
export type Instant = { readonly wallMs: number; readonly uptimeMs: number }

export type Lease = {
  /** When the first heartbeat was sent of those that came without a gap. */
  readonly since: Instant
  /** When the last one was sent. */
  readonly renewed: Instant
}

/** Without a heartbeat for so long a replica owns nothing. */
export const leaseMs = 10_000

/** The larger counts: the wall clock can be set back, and the monotonic one stands still in a suspended machine. */
export const elapsedMs = (since: Instant, at: Instant): number =>
  Math.max(at.wallMs - since.wallMs, at.uptimeMs - since.uptimeMs)

/** By the own heartbeat that was sent then and read back now. */
export function renew(lease: Lease | undefined, sent: Instant): Lease {
  const isUnbroken = lease !== undefined && elapsedMs(lease.renewed, sent) < leaseMs
  return { since: isUnbroken ? lease.since : sent, renewed: sent }
}

export const isHeld = (lease: Lease | undefined, at: Instant): lease is Lease =>
  lease !== undefined && elapsedMs(lease.renewed, at) < leaseMs
