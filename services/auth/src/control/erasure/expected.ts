// By when an erasure should have reached a state that it hasn't reached. Pure. A date that goes by means that something
// keeps it, such as a broker that is away; the state itself comes when it comes.
import type { ErasureRecord } from '@weir/control-state'
import type { ConfigEntries } from '@weir/kafka'

/** A replica that died without a word is waited for until it was silent for a minute. */
const appliedMs = 75_000
/** ReconcileLoops of auth, a scan of a long log, a busy broker. */
const slackMs = 10 * 60_000

/** A link that does not fit into the first transaction, on a busy machine. */
const restMs = 10

export const appliedBy = ({ acceptedAtMs, appliedAtMs, rest }: ErasureRecord): number =>
  appliedAtMs ?? acceptedAtMs + appliedMs + (rest?.links ?? 0) * restMs

/** By the settings of `weir.keys`: a segment is closed, then compacted, then its files go. */
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
