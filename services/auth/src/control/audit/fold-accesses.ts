// Moves (folds) the notices of `weir.accesses` into the audit log, and into the times of API keys' last use. Each
// notice is moved once, because one transaction writes its entry and the new position in `weir.accesses`. auth doesn't
// trust output, so notices must be valid (parseNotice).
import type { LogOffsets, RangeReader, SourceRecord } from '@weir/kafka'
import { hasCode } from '@weir/kit'
import type { Log } from '@weir/kit'
import { accessesKey, accessesTopic, act, keyUseKey, parseNotice } from '@weir/control-state'
import type { Audited, Change, Draft, Notice, StateFollower } from '@weir/control-state'
import type { Writer } from '../writer.ts'

const hourMs = 3_600_000
const auth = { actor: { kind: 'auth' } } as const

export type Folder = {
  /** Folds all notices from before the call, up to the first one that this replica can't read. */
  fold(): Promise<void>
  /** Returns why folding is blocked: notices of a newer release wait in the topic until this replica is upgraded. */
  warnings(): string[]
}

type FoldDeps = {
  readonly offsets: Pick<LogOffsets, 'earliest' | 'ends'>
  readonly reader: Pick<RangeReader, 'read'>
  readonly follower: Pick<StateFollower, 'tables' | 'catchUp'>
  readonly writer: Pick<Writer, 'change'>
  readonly log: Log
}

/** Runs one fold at a time. A call during a fold may need newer notices, so another fold follows. */
export function createFold(deps: FoldDeps): Folder {
  let heldUpBy: string | undefined
  let running: Promise<void> | undefined
  let following: Promise<void> | undefined
  const foldUp = async (): Promise<void> => {
    heldUpBy = await foldAll(deps)
  }
  const start = (): Promise<void> => (running = foldUp().finally(() => (running = undefined)))
  const follow = async (before: Promise<void>): Promise<void> => {
    await before.catch(() => undefined)
    following = undefined
    await start()
  }
  return {
    fold: () => (running === undefined ? start() : (following ??= follow(running))),
    warnings: () => (heldUpBy === undefined ? [] : [heldUpBy]),
  }
}

/** Returns why folding is blocked; undefined if it is not. */
async function foldAll(deps: FoldDeps): Promise<string | undefined> {
  const { offsets, reader, follower } = deps
  const [first = 0n] = await offsets.earliest(accessesTopic)
  const [end = 0n] = await offsets.ends(accessesTopic, { isolation: 'read_committed' })
  if (nextIn(follower.tables) === end) return undefined
  await follower.catchUp()
  let from = await begin(deps, first, end)
  const range = { topic: accessesTopic, partition: 0, from, to: end }
  let heldUpBy: string | undefined
  await reader.read(range, async (records) => {
    const { found, notKnown } = noticesIn(records)
    // The moves share a transaction as far as its size permits. The writer keeps their order.
    const moves = found.map((each) => {
      const moved = foldOne(deps, each, from)
      from = each.offset + 1n
      return moved
    })
    await Promise.all(moves)
    heldUpBy = notKnown
    return notKnown === undefined
  })
  return heldUpBy
}

/**
 * Returns the offset where folding starts. If notices were deleted unread, or the topic was created again, adds an
 * audit entry, and starts at the first notice.
 */
async function begin(deps: FoldDeps, first: bigint, end: bigint): Promise<bigint> {
  const next = nextIn(deps.follower.tables)
  if (next >= first && next <= end) return next
  const lost = next < first ? { count: Number(first - next) } : {}
  await move(deps, { ...act(auth, 'read.lost', lost) }, { from: next, to: first })
  return first
}

function foldOne(deps: FoldDeps, { offset, notice }: Found, from: bigint): Promise<void> {
  const step = { from, to: offset + 1n }
  if (notice === undefined) {
    deps.log.warn({ offset: String(offset) }, 'a record in weir.accesses cannot be read')
    return move(deps, 'unlogged', step)
  }
  if (notice.type === 'read-notice') return move(deps, entryOf(notice), step)
  return move(deps, 'unlogged', { ...step, more: (draft) => putUse(draft, notice) })
}

type Step = { readonly from: bigint; readonly to: bigint; readonly more?: (draft: Draft) => void }

/** Moves the position, unless another replica has moved it first. */
const move = ({ writer }: FoldDeps, what: Change, { from, to, more }: Step): Promise<void> =>
  writer.change(what, (draft) => {
    if (nextIn(draft) !== from) return
    draft.put(accessesKey, { type: 'accesses-position', nextOffset: String(to) })
    more?.(draft)
  })

const nextIn = (state: Pick<StateFollower['tables'], 'accesses'>): bigint =>
  BigInt(state.accesses()?.nextOffset ?? 0)

const entryOf = ({
  action,
  actor,
  target,
  at,
  refused,
}: Extract<Notice, { type: 'read-notice' }>): Audited => ({
  action,
  actor,
  target: { ...target, at },
  ...(refused === undefined ? {} : { refused }),
})

function putUse(
  draft: Draft,
  { billingId, keyId, at }: Extract<Notice, { type: 'use-notice' }>,
): void {
  const usedAtMs = Math.floor(Date.parse(at) / hourMs) * hourMs
  const isThere = draft.account(billingId)?.apiKeys.some((apiKey) => apiKey.keyId === keyId)
  const known = draft.keyUse(billingId, keyId)?.usedAtMs ?? 0
  if (isThere === true && known < usedAtMs)
    draft.put(keyUseKey(billingId, keyId), { type: 'api-key-use', usedAtMs })
}

/** `notice` is undefined if the record is not a notice. */
type Found = { readonly offset: bigint; readonly notice: Notice | undefined }

/** Returns the notices in order, up to the first one that this replica can't read. */
function noticesIn(records: readonly SourceRecord[]): {
  found: readonly Found[]
  notKnown?: string
} {
  const found: Found[] = []
  for (const { offset, value } of records)
    try {
      found.push({ offset, notice: value === null ? undefined : parseNotice(`${offset}`, value) })
    } catch (error) {
      if (hasCode(error, 'control-state.record_not_known'))
        return { found, notKnown: error.message }
      if (!hasCode(error, 'control-state.record_malformed')) throw error
      found.push({ offset, notice: undefined })
    }
  return { found }
}
