// What control state says is begun and not done, for metrics: deletions, and erasures with how long the oldest waits.
import type { ErasureRecord, StateFollower } from '@weir/control-state'
import type { Config } from '../config.ts'
import type { Pending, PendingErasures } from '../metrics.ts'

export type PendingTables = Pick<
  StateFollower['tables'],
  'streams' | 'pendingErasures' | 'erasedValues'
>

export const pendingIn = (
  { tables }: { readonly tables: PendingTables },
  { ERASURES_MAX }: Pick<Config, 'ERASURES_MAX'>,
  now: () => number = Date.now,
): Pending => ({
  cleanUps: () => [...tables.streams()].filter(({ state }) => state === 'deleting').length,
  erasures() {
    const { accepted = [], applied = [] } = Object.groupBy(
      tables.pendingErasures(),
      ({ appliedAtMs }) => (appliedAtMs === undefined ? 'accepted' : 'applied'),
    )
    return { accepted: summed(accepted, now()), applied: summed(applied, now()) }
  },
  erasuresShare() {
    let most = 0
    for (const used of tables.erasedValues().values()) most = Math.max(most, used)
    return most / ERASURES_MAX
  },
})

/** An erasure waits since it was accepted, whatever it has reached: that is what was promised. */
function summed(erasures: readonly ErasureRecord[], nowMs: number): PendingErasures {
  const oldest = erasures.reduce((least, { acceptedAtMs }) => Math.min(least, acceptedAtMs), nowMs)
  return { count: erasures.length, oldestMs: nowMs - oldest }
}
