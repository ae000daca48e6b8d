// Continues erasures that do not fit into one transaction. Runs on every auth replica, and a lease lets one replica at
// a time work on the erasures of a stream. Each transaction removes links of one record `_erasure/<id>/cuts/…`. Any
// replica can continue after a crash, because all state is in control state. Every link is removed exactly once.
import { cutsOf, cutsValue, linksInCuts, partOf } from '@weir/control-state'
import type { Draft, ErasureRecord, ReplicaLease, StateFollower } from '@weir/control-state'
import { putErasurePiece } from './erase.ts'
import type { Erasing } from './erase.ts'
import { isAsPrepared, preparePiece, wipe } from './puncture-terms.ts'
import type { Cut, Piece } from './puncture-terms.ts'
import { restLease } from './rest-lease.ts'

export type ErasingRest = Omit<Erasing, 'follower'> & {
  readonly follower: Pick<StateFollower, 'tables' | 'keyring' | 'keyStore' | 'wrappingKeys'>
}

const idleMs = 15_000
const waitMs = 1_000
/** The loop pauses for this multiple of the time that a transaction took. */
const restParts = 3
const restMsMax = 900

/** Continues each unfinished erasure by one transaction. Returns the wait until the next pass, in ms. */
export async function eraseRests(deps: ErasingRest): Promise<number> {
  const unfinished = deps.follower.tables.unfinishedErasures()
  let nextMs = idleMs
  for (const erasure of unfinished) {
    const startedAt = performance.now()
    const isMine = restLease(deps, erasure.streamId) !== undefined
    const outcome = isMine ? await erasePiece(deps, erasure) : 'elsewhere'
    const restMs = Math.min(restMsMax, restParts * (performance.now() - startedAt))
    nextMs = Math.min(nextMs, outcome === 'elsewhere' ? waitMs : restMs)
  }
  return nextMs
}

async function erasePiece(
  deps: ErasingRest,
  { streamId, erasureId, isWithdrawal, levels }: ErasureRecord,
): Promise<'done' | 'elsewhere'> {
  const stream = deps.follower.tables.streamById(streamId)
  if (stream?.kind !== 'input') return 'done'
  return deps.inTurn(streamId, async () => {
    await deps.wrappingKeys.settled()
    const [next] = cutsOf(deps.follower.keyStore, erasureId)
    const value = next && deps.follower.keyStore.get(next.key)
    const cuts: Cut[] =
      next && value ? linksInCuts(value).map((link) => ({ term: next.term, link })) : []
    const piece = await preparePiece(deps, {
      stream,
      cuts,
      levels: isWithdrawal === true ? levels : undefined,
    })
    if (piece === undefined) return 'done'
    try {
      return await deps.wrappingKeys.changeWith(partOf('erasure.create'), ['open'], (draft) => {
        const current = draft.erasure(streamId, erasureId)
        if (current?.rest === undefined) return 'done'
        const worker = restLease(deps, streamId)
        if (worker === undefined) return 'elsewhere'
        const isSame = next === undefined || draft.keys.get(next.key) === value
        if (isSame && isAsPrepared(draft, piece))
          putRestPiece(deps, draft, { current, piece, cuts, key: next?.key, worker })
        return 'done'
      })
    } finally {
      wipe(piece)
    }
  })
}

type Working = {
  readonly current: ErasureRecord
  readonly piece: Piece
  readonly cuts: readonly Cut[]
  /** The key of the record that contains the links of `cuts`. */
  readonly key: string | undefined
  readonly worker: ReplicaLease
}

function putRestPiece(
  deps: ErasingRest,
  draft: Draft,
  { current, piece, cuts, key, worker }: Working,
): void {
  const { erasureId, rest: before, ...others } = current
  const left = cuts.slice(piece.done)
  if (key !== undefined)
    draft.keys.put(key, left.length === 0 ? null : cutsValue(left.map(({ link }) => link)))
  const rest =
    before === undefined || cutsOf(draft.keys, erasureId).length === 0
      ? {}
      : { rest: { ...before, done: before.done + piece.done, worker } }
  putErasurePiece(deps, draft, { record: { ...others, erasureId, ...rest }, piece })
}
