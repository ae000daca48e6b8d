// When an erasure should reach a state. Pure. If the time passes, something prevents the state, such as a broker that
// is down.
import type { ErasureRecord } from '@weir/control-state'
import type { ConfigEntries } from '@weir/kafka'

/** A replica that crashed is waited for until it has sent no heartbeat for a minute. */
const appliedMs = 75_000
/** For the reconcile loops of auth, a scan of a long log, and a busy broker. */
const slackMs = 10 * 60_000

/** Per link that does not fit into the first transaction, on a busy machine. */
const restMs = 10

export const appliedBy = ({ acceptedAtMs, appliedAtMs, rest }: ErasureRecord): number =>
  appliedAtMs ?? acceptedAtMs + appliedMs + (rest?.links ?? 0) * restMs

/** By the settings of `weir.keys`: a segment is closed, then compacted, then its files are deleted. */
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
