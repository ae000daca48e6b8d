// Folds the notices of `weir.accesses` into the audit log and into what is known of API keys, each once: how far it is
// stands in control state and moves in the transaction of the entry. Whichever replica does it, the others find nothing
// left. A notice is output's word, so it is taken for no more than a reading, and only in a form that a reading has.
import type { LogOffsets, RangeReader, SourceRecord } from '@weir/kafka'
import { hasCode } from '@weir/kit'
import type { Log } from '@weir/kit'
import { accessesKey, accessesTopic, act, keyUseKey, parseNotice } from '@weir/control-state'
import type { Audited, Change, Draft, Notice, StateFollower } from '@weir/control-state'
import type { Writer } from '../writer.ts'

const hourMs = 3_600_000
const auth = { actor: { kind: 'auth' } } as const

export type Folder = {
  /** Everything that was noticed before the call, up to a notice that isn't known here. */
  fold(): Promise<void>
  /** What holds it up: notices of a newer release wait in the topic until this replica is upgraded. */
  warnings(): string[]
}

type FoldDeps = {
  readonly offsets: Pick<LogOffsets, 'earliest' | 'ends'>
  readonly reader: Pick<RangeReader, 'read'>
  readonly follower: Pick<StateFollower, 'tables' | 'catchUp'>
  readonly writer: Pick<Writer, 'change'>
  readonly log: Log
}

/** One at a time. Whoever comes while one is running may ask for something newer, so another one follows. */
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

/** What holds it up, if anything does. */
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
    // In one transaction, as far as they fit: the writer takes them in this order.
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

/** Where the topic begins for us. Notices that are gone are reported as lost; a topic that was created again begins with its first. */
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

/** Nothing happens when another replica was faster. */
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

/** `notice`: undefined for what is none. */
type Found = { readonly offset: bigint; readonly notice: Notice | undefined }

/** What was noticed, in order, before the first notice that this replica doesn't know. */
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
