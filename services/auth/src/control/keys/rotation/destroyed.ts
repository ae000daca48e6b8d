// The last state of an erasure (docs/forgetting.md): no KEK exists any more that could open what was replaced, wherever a
// copy of the log is. The places that auth has its KEKs from say so, and every replica of every service says that it has none of
// them itself. Copies that somebody made of a KEK file are unknown here.
import { act, erasureKey } from '@weir/control-state'
import type { ErasureRecord, ReplicaFollower, StateFollower } from '@weir/control-state'
import type { KekProvider } from '@weir/fieldcrypt'
import type { Log } from '@weir/kit'
import type { Changes } from '../../changes.ts'

export type LookingForDestroyed = Changes & {
  readonly follower: Pick<StateFollower, 'tables'>
  readonly kek: KekProvider
  readonly replicas: Pick<ReplicaFollower, 'replicas' | 'isRead'>
  /** This replica, which asks `kek` itself. */
  readonly replica: string
  readonly log: Log
}

const idleMs = 60_000
/** Until it is known which replicas there are. */
const unreadMs = 1_000

/** One pass; how long to wait for the next. */
export async function lookForDestroyed(deps: LookingForDestroyed): Promise<number> {
  if (!deps.replicas.isRead()) return unreadMs
  const { tables } = deps.follower
  const isAtHand = askOnce(deps)
  for (const { streamId, name } of Array.from(tables.streams()))
    for (const erasure of tables.erasuresOf(streamId)) {
      if (erasure.appliedAtMs === undefined || erasure.destroyedAtMs !== undefined) continue
      if (await isAnyAtHand(keksOf(deps, erasure), isAtHand)) continue
      await putDestroyed(deps, erasure, name)
    }
  return idleMs
}

/**
 * Those that had wrapped what was replaced, and all that wrap nothing any more: what was replaced may have lain under
 * one of them before, also until a moment before, in a rotation that was under way.
 */
const keksOf = (
  { follower }: Pick<LookingForDestroyed, 'follower'>,
  { keks }: ErasureRecord,
): string[] => [...keks, ...(follower.tables.rotation()?.unusedKeks ?? []).map(({ kek }) => kek)]

type IsAtHand = (kek: string) => Promise<boolean>

/** Asks for each KEK once a pass. A KEK of which nothing is known counts as existing. */
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

/** By another replica that may be at work; one that doesn't say which KEKs it has counts as having it. */
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
