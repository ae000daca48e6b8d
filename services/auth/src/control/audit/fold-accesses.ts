// Folds the notices of `weir.accesses` into the audit log and into what is known of API keys, each once: how far it is
// stands in control state and moves in the transaction of the entry. Whichever replica does it, the others find nothing
// left. A notice is output's word, so it is taken for no more than a reading, and only in a form that a reading has.
import type { Offsets, RangeReader, SourceRecord } from '@weir/kafka'
import type { Log } from '@weir/kit'
import { accessesKey, accessesTopic, act, keyUseKey, readActions } from '@weir/control-state'
import type { Audited, Change, Draft, Notice, StateFollower } from '@weir/control-state'
import type { Writer } from '../writer.ts'
import { z } from 'zod'

const hourMs = 3_600_000
const auth = { actor: { kind: 'auth' } } as const

export type Fold = () => Promise<void>

type FoldDeps = {
  readonly offsets: Pick<Offsets, 'earliest' | 'ends'>
  readonly reader: Pick<RangeReader, 'read'>
  readonly follower: Pick<StateFollower, 'tables' | 'catchUp'>
  readonly writer: Pick<Writer, 'change'>
  readonly log: Log
}

/** One at a time. Whoever comes while one is running may ask for something newer, so another one follows. */
export function createFold(deps: FoldDeps): Fold {
  let running: Promise<void> | undefined
  let following: Promise<void> | undefined
  const start = (): Promise<void> => (running = foldAll(deps).finally(() => (running = undefined)))
  const follow = async (before: Promise<void>): Promise<void> => {
    await before.catch(() => undefined)
    following = undefined
    await start()
  }
  return () => (running === undefined ? start() : (following ??= follow(running)))
}

async function foldAll(deps: FoldDeps): Promise<void> {
  const { offsets, reader, follower } = deps
  const [first = 0n] = await offsets.earliest(accessesTopic)
  const [end = 0n] = await offsets.ends(accessesTopic, { isolation: 'read_committed' })
  if (nextIn(follower.tables) === end) return
  await follower.catchUp()
  let from = await begin(deps, first, end)
  const range = { topic: accessesTopic, partition: 0, from, to: end }
  await reader.read(range, async (records) => {
    // In one transaction, as far as they fit: the writer takes them in this order.
    const moves = records.map((record) => {
      const moved = foldOne(deps, record, from)
      from = record.offset + 1n
      return moved
    })
    await Promise.all(moves)
    return true
  })
}

/** Where the topic begins for us. What lies there no more is told as lost; a topic made anew begins with its first. */
async function begin(deps: FoldDeps, first: bigint, end: bigint): Promise<bigint> {
  const next = nextIn(deps.follower.tables)
  if (next >= first && next <= end) return next
  const lost = next < first ? { count: Number(first - next) } : {}
  await move(deps, { ...act(auth, 'read.lost', lost) }, { from: next, to: first })
  return first
}

function foldOne(deps: FoldDeps, record: SourceRecord, from: bigint): Promise<void> {
  const step = { from, to: record.offset + 1n }
  const notice = noticeOf(record)
  if (notice === undefined) {
    deps.log.warn({ offset: String(record.offset) }, 'a record in weir.accesses cannot be read')
    return move(deps, 'note', step)
  }
  if (notice.kind === 'read') return move(deps, entryOf(notice), step)
  return move(deps, 'note', { ...step, more: (draft) => putUse(draft, notice) })
}

type Step = { readonly from: bigint; readonly to: bigint; readonly more?: (draft: Draft) => void }

/** Nothing happens when another replica was faster. */
const move = ({ writer }: FoldDeps, what: Change, { from, to, more }: Step): Promise<void> =>
  writer.change(what, (draft) => {
    if (nextIn(draft) !== from) return
    draft.put(accessesKey, { nextOffset: String(to) })
    more?.(draft)
  })

const nextIn = (state: Pick<StateFollower['tables'], 'accesses'>): bigint =>
  BigInt(state.accesses()?.nextOffset ?? 0)

const entryOf = ({ action, actor, target, at }: Extract<Notice, { kind: 'read' }>): Audited => ({
  action,
  actor,
  target: { ...target, at },
})

function putUse(draft: Draft, { billingId, keyId, at }: Extract<Notice, { kind: 'use' }>): void {
  const usedAtMs = Math.floor(Date.parse(at) / hourMs) * hourMs
  const isThere = draft.account(billingId)?.apiKeys.some((apiKey) => apiKey.keyId === keyId)
  const known = draft.keyUse(billingId, keyId)?.usedAtMs ?? 0
  if (isThere === true && known < usedAtMs) draft.put(keyUseKey(billingId, keyId), { usedAtMs })
}

const name = z.string().regex(/^(?=.{1,63}$)[a-z0-9](-?[a-z0-9])*$/)
const keyId = z.string().regex(/^[0-9a-f]{12}$/)
const at = z.iso.datetime()
const requestId = z.string().max(100)
const actor = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('account'),
    billingId: name,
    keyId,
    name: z.string().max(100),
    requestId,
  }),
  z.strictObject({
    kind: z.literal('credentials'),
    billingId: name,
    clientId: z.uuid(),
    requestId,
  }),
])
const target = z.strictObject({
  account: name,
  stream: name,
  output: name.exactOptional(),
  levels: z.array(z.int().min(0).max(255)).max(256).exactOptional(),
  count: z.int().min(1).exactOptional(),
})
const noticeForm = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('read'), at, action: z.enum(readActions), actor, target }),
  z.strictObject({ kind: z.literal('use'), at, billingId: name, keyId }),
])

const isOfOneAccount = (notice: Notice): boolean =>
  notice.kind === 'use' || notice.actor.billingId === notice.target.account

function noticeOf({ value }: SourceRecord): Notice | undefined {
  try {
    const parsed = noticeForm.safeParse(JSON.parse(value?.toString('utf8') ?? ''))
    return parsed.success && isOfOneAccount(parsed.data) ? parsed.data : undefined
  } catch {
    return undefined
  }
}
