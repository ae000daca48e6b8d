// The last state of an erasure (docs/forgetting.md): no KEK exists any more that could decrypt the replaced key
// records, in any copy of the log. auth's KEK providers must report this, and every replica of every service must
// report that it has none of these KEKs. Weir can't know about other copies of a KEK file.
import { act, erasureKey } from '@weir/control-state'
import type { ErasureRecord, ReplicaFollower, StateFollower } from '@weir/control-state'
import type { KekProvider } from '@weir/fieldcrypt'
import type { Log } from '@weir/kit'
import type { Changes } from '../../changes.ts'

export type LookingForDestroyed = Changes & {
  readonly follower: Pick<StateFollower, 'tables'>
  readonly kek: KekProvider
  readonly replicas: Pick<ReplicaFollower, 'replicas' | 'isRead'>
  /** The id of this replica, which asks `kek` itself. */
  readonly replica: string
  readonly log: Log
}

const idleMs = 60_000
/** The pause until all heartbeats are read. */
const unreadMs = 1_000

/** Runs one pass. Returns the wait before the next, in ms. */
export async function lookForDestroyed(deps: LookingForDestroyed): Promise<number> {
  if (!deps.replicas.isRead()) return unreadMs
  const { tables } = deps.follower
  const isAtHand = askOnce(deps)
  for (const { streamId, name } of Array.from(tables.streams()))
    for (const erasure of tables.erasuresOf(streamId)) {
      if (erasure.appliedAtMs === undefined || erasure.destroyedAtMs !== undefined) continue
      // An erasure that replaced no key record has no KEKs that could be destroyed.
      if (erasure.keks.length === 0) continue
      if (await isAnyAtHand(keksOf(deps, erasure), isAtHand)) continue
      await putDestroyed(deps, erasure, name)
    }
  return idleMs
}

/**
 * Returns the KEKs of the replaced key records, and all unused KEKs: before a rotation, an unused KEK may have
 * protected the replaced records, too.
 */
const keksOf = (
  { follower }: Pick<LookingForDestroyed, 'follower'>,
  { keks }: ErasureRecord,
): string[] => [...keks, ...(follower.tables.rotation()?.unusedKeks ?? []).map(({ kek }) => kek)]

type IsAtHand = (kek: string) => Promise<boolean>

/** Checks each KEK once per pass. A KEK whose state is unknown counts as existing. */
function askOnce(deps: LookingForDestroyed): IsAtHand {
  const { kek, log } = deps
  const asked = new Map<string, Promise<boolean>>()
  const ask = async (id: string): Promise<boolean> => {
    const isThere = await kek.has(id).catch((error: unknown) => {
      log.warn({ err: error, kek: id }, 'could not check whether a KEK still exists')
      return true
    })
    return isThere || isHeld(deps, id)
  }
  return (id) => {
    const answer = asked.get(id) ?? ask(id)
    asked.set(id, answer)
    return answer
  }
}

/** Whether another active replica has the KEK. A replica that does not report its KEKs counts as having it. */
function isHeld({ replicas, replica, log }: LookingForDestroyed, kek: string): boolean {
  const others = replicas.replicas.heard().filter(({ id }) => id !== replica)
  const holders = others.filter(({ beat }) => beat.keks?.includes(kek) ?? true)
  if (holders.length === 0) return false
  const ids = holders.slice(0, 10).map(({ id, beat }) => `${beat.service} ${id}`)
  log.info({ kek, replicas: ids }, 'replicas still have a KEK that no longer exists for auth')
  return true
}

async function isAnyAtHand(keks: readonly string[], isAtHand: IsAtHand): Promise<boolean> {
  for (const kek of keks) if (await isAtHand(kek)) return true
  return false
}

async function putDestroyed(
  deps: Changes,
  { billingId: account, streamId, erasureId: erasure }: ErasureRecord,
  stream: string,
): Promise<void> {
  const what = act(deps, 'erasure.destroyed', { account, stream, erasure })
  await deps.writer.change(what, (draft) => {
    const current = draft.erasure(streamId, erasure)
    if (current === undefined || current.destroyedAtMs !== undefined) return
    draft.put(erasureKey(streamId, erasure), { ...current, destroyedAtMs: deps.now() })
  })
}
