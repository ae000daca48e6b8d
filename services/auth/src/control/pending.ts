// Computes metrics of control state: unfinished deletions and erasures, and the used share of the limits for erasures.
import { keysLentUntil } from '@weir/control-state'
import type { ErasureRecord, StateFollower } from '@weir/control-state'
import type { Config } from '../config.ts'
import type { PendingWork, PendingErasures } from '../metrics.ts'

export type PendingTables = Pick<
  StateFollower['tables'],
  'streams' | 'streamsOf' | 'pendingErasures' | 'erasedValues'
>
export type PendingKeys = Pick<StateFollower['keyStore'], 'bytes'>

export const pendingIn = (
  { tables, keyStore }: { readonly tables: PendingTables; readonly keyStore: PendingKeys },
  bounds: Pick<Config, 'ERASURES_MAX' | 'ACCOUNT_KEY_BYTES_MAX' | 'KEY_BYTES_MAX'>,
  now: () => number = Date.now,
): PendingWork => ({
  cleanUps: () => [...tables.streams()].filter(({ state }) => state === 'deleting').length,
  erasures() {
    const { accepted = [], applied = [] } = Object.groupBy(
      tables.pendingErasures(),
      ({ appliedAtMs }) => (appliedAtMs === undefined ? 'accepted' : 'applied'),
    )
    const nowMs = now()
    return {
      accepted: summed(accepted, nowMs, (erasure) => waitingSince(tables, erasure)),
      applied: summed(applied, nowMs, ({ acceptedAtMs }) => acceptedAtMs),
    }
  },
  erasuresShare() {
    const keyBytes = new Map<string, number>()
    for (const { billingId, streamId } of tables.streams())
      keyBytes.set(
        billingId,
        (keyBytes.get(billingId) ?? 0) + keyStore.bytes({ billingId, streamId }),
      )
    return Math.max(
      mostIn(tables.erasedValues()) / bounds.ERASURES_MAX,
      mostIn(keyBytes) / bounds.ACCOUNT_KEY_BYTES_MAX,
      keyStore.bytes() / bounds.KEY_BYTES_MAX,
    )
  },
})

const mostIn = (byAccount: ReadonlyMap<string, number>): number =>
  Math.max(0, ...byAccount.values())

/**
 * Returns since when an erasure has been waiting. The time in which only readers may still have keys does not count.
 */
const waitingSince = (tables: PendingTables, erasure: ErasureRecord): number =>
  erasure.heardAtMs === undefined
    ? erasure.acceptedAtMs
    : keysLentUntil(tables, erasure, erasure.heardAtMs)

function summed(
  erasures: readonly ErasureRecord[],
  nowMs: number,
  sinceMs: (erasure: ErasureRecord) => number,
): PendingErasures {
  const oldest = erasures.reduce((least, erasure) => Math.min(least, sinceMs(erasure)), nowMs)
  return { count: erasures.length, oldestMs: nowMs - oldest }
}
