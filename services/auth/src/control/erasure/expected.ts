// Computes when an erasure should reach a state. If the state comes later, something is wrong, such as a broker that is
// down.
import { keysLentUntil } from '@weir/control-state'
import type { ErasureRecord, Streams } from '@weir/control-state'
import type { ConfigEntries } from '@weir/kafka'

/** Covers the minute without heartbeats after which a crashed replica is ignored. */
const appliedMs = 75_000
/** Extra time for auth's reconcile loops, a scan of a long log, and a busy broker. */
const slackMs = 10 * 60_000

/** Extra time per link of an erasure that needs several transactions, on a busy machine. */
const restMs = 10

/**
 * Returns the actual or expected time when no replica uses the removed keys any more. Later, no output gets values that
 * were decrypted with them.
 */
export const heardBy = ({ acceptedAtMs, heardAtMs, appliedAtMs, rest }: ErasureRecord): number =>
  heardAtMs ?? appliedAtMs ?? acceptedAtMs + appliedMs + (rest?.links ?? 0) * restMs

export const appliedBy = (state: Pick<Streams, 'streamsOf'>, erasure: ErasureRecord): number =>
  erasure.appliedAtMs ?? keysLentUntil(state, erasure, heardBy(erasure))

/**
 * Computed from the settings of `weir.keys`: a segment is closed, then compacted, then its files are deleted. Returns
 * undefined if a setting is unknown.
 */
export function completeBy(
  { acceptedAtMs }: ErasureRecord,
  keys: ConfigEntries,
): number | undefined {
  const times = ['segment.ms', 'max.compaction.lag.ms', 'file.delete.delay.ms'].map((setting) =>
    Number(keys[setting]),
  )
  const ms = times.reduce((sum, each) => sum + each, acceptedAtMs + slackMs)
  return ms <= 8.64e15 ? ms : undefined
}
