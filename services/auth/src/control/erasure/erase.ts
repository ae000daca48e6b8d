// Forgetting a person, or withdrawing consents of one (docs/forgetting.md): in every retained era of a stream
// the subtrees that lead to his keys are taken out of the tree, in one transaction with the record that says
// so. The values themselves are put nowhere. When the change is effective everywhere is erasure-states.ts.
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import type { Refusal } from '@weir/http-api'
import {
  levelOfPart,
  linksOf,
  prefixesOf,
  puncture,
  ringVersionOf,
  suffixOfPart,
  treePart,
  wrapPart,
} from '@weir/fieldcrypt'
import type { EraKeys } from '@weir/fieldcrypt'
import { hasCode } from '@weir/kit'
import type { Log } from '@weir/kit'
import { act } from '@weir/control-state'
import type { AuditTarget } from '@weir/control-state'
import type { Draft } from '@weir/control-state'
import { kekIdsOf } from '../keys/kek-ids.ts'
import { requireRoom, warnOfBound } from './erasure-bound.ts'
import { erasureMarker, markerValue } from '@weir/control-state'
import { eraPrefix, openEra } from '@weir/control-state'
import type { StreamEra } from '@weir/control-state'
import { erasureKey } from '@weir/control-state'
import type { ErasureRecord, InputStream, StateFollower } from '@weir/control-state'
import { requireInput } from '@weir/control-state'
import type { Changes } from '../changes.ts'
import type { WrappingKeys } from '../keys/wrapping-keys.ts'
import type { Bounding } from './erasure-bound.ts'
import { refusal } from '../../errors.ts'

/** What reads the keys of an era and cuts people out of them. */
export type Puncturing = Pick<Changes, 'now'> & {
  readonly wrappingKeys: WrappingKeys
  readonly follower: Pick<StateFollower, 'keyring'>
  readonly log: Log
}

export type Erasing = Changes &
  Puncturing &
  Bounding & {
    /** Asks for a look at pending erasures without waiting for the next regular one. */
    readonly erasuresSoon: () => void
  }

export type EraseRequest = {
  readonly billingId: string
  readonly name: string
  /** Values of the key field, 1 to 100: all of them or none. */
  readonly values: readonly string[]
} & Asked

export type Asked = {
  /** The lowest level whose consent is withdrawn; without one the whole person goes. */
  readonly fromLevel?: number | undefined
  /** What the caller calls it; shown, and in the receipt. */
  readonly reference?: string | undefined
}

/** The salt is kept nowhere: with it, who has the value can show which receipt is about it. */
export type Erased = { readonly erasure: ErasureRecord; readonly salt: string }

const saltBytes = 32

/** HMAC-SHA-256(salt, value), base64url: a value as a receipt names it. */
export const subjectOf = (salt: string, value: string): string =>
  createHmac('sha256', Buffer.from(salt, 'base64url')).update(value, 'utf8').digest('base64url')

/** Accepted, once it resolves: nothing can take it back. @throws Refusal `erasures_exceeded` */
export async function eraseValues(deps: Erasing, request: EraseRequest): Promise<Erased> {
  const salt = randomBytes(saltBytes).toString('base64url')
  const values = [...new Set(request.values)]
  const { billingId, name, fromLevel } = request
  const target = {
    account: billingId,
    stream: name,
    ...(fromLevel === undefined ? {} : { fromLevel }),
  }
  const erasure = await changeErasing(deps, target, (draft) => {
    const stream = requireInput(draft, billingId, name)
    requireRoom(deps, draft, { billingId, count: values.length })
    return putErasure(deps, draft, {
      stream,
      subjects: values.map((value) => subjectOf(salt, value)),
      linksIn: (keys) => values.flatMap((value) => linksOf(keys, value)),
      counted: values.length,
      fromLevel,
      reference: request.reference,
    })
  })
  return { erasure, salt }
}

/** A change that puts an erasure; whether it is applied is looked for at once afterwards. */
export async function changeErasing<Answer>(
  deps: Erasing,
  target: AuditTarget & { readonly account: string },
  decide: (draft: Draft) => Answer,
): Promise<Answer> {
  const what = act(deps, 'erasure.create', target)
  const answer = await deps.wrappingKeys.changeWith(what, ['open'], decide)
  warnOfBound(deps, target.account)
  deps.erasuresSoon()
  return answer
}

export type Erasure = {
  readonly stream: InputStream
  readonly subjects: readonly string[]
  /** Every link under which something may have been sealed in the era. */
  readonly linksIn: (keys: EraKeys) => readonly Uint8Array[]
  /** See erasure-bound.ts. */
  readonly counted: number
} & Asked

/** @throws Refusal `unavailable` when a part of an era can't be read: a link left out would stay readable */
export function putErasure(
  deps: Puncturing,
  draft: Draft,
  { stream, subjects, linksIn, counted, fromLevel, reference }: Erasure,
): ErasureRecord {
  const erasureId = randomUUID()
  // In front of what it changes: versions of a part that lie before it in the log are older (erasure-states.ts).
  draft.keys.put(erasureMarker(erasureId), markerValue)
  const { levels, replaced, oldRings } = punctureEras(deps, draft, { stream, linksIn, fromLevel })
  const record: ErasureRecord = {
    type: 'erasure',
    erasureId,
    billingId: stream.billingId,
    streamId: stream.streamId,
    subjects,
    counted,
    ...(fromLevel === undefined ? {} : { fromLevel }),
    levels: [...levels].sort((a, b) => a - b),
    ...(reference === undefined ? {} : { reference }),
    eras: Object.keys(replaced).map(Number),
    replaced,
    keks: keksOf(draft, oldRings),
    acceptedAtMs: deps.now(),
  }
  draft.put(erasureKey(stream.streamId, erasureId), record)
  draft.note({ erasure: erasureId, count: subjects.length })
  return record
}

function punctureEras(
  deps: Puncturing,
  draft: Draft,
  { stream, linksIn, fromLevel }: Pick<Erasure, 'stream' | 'linksIn' | 'fromLevel'>,
) {
  const levels = new Set<number>()
  const replaced: Record<string, readonly string[]> = {}
  const oldRings = new Set<number>()
  for (const [era, parts] of erasOf(draft, stream)) {
    const levelsHere = parts.levels.filter((level) => level >= (fromLevel ?? 0))
    if (fromLevel !== undefined && levelsHere.length === 0) continue
    const at: StreamEra = { ...stream, era }
    const only = fromLevel === undefined ? undefined : levelsHere
    const prefixesIn: Cut['prefixesIn'] = (keys) =>
      linksIn(keys).flatMap((link) => prefixesOf(link, only))
    const onReplaced: Cut['onReplaced'] = (value) => oldRings.add(ringVersionOf(value))
    const suffixes = punctureEra(deps, draft, { at, prefixesIn, onReplaced })
    if (suffixes.length > 0) replaced[era] = suffixes
    for (const level of levelsHere) levels.add(level)
  }
  return { levels, replaced, oldRings }
}

/** Together with its stream. */
export function dropErasure(draft: Draft, { streamId, erasureId }: ErasureRecord): void {
  draft.put(erasureKey(streamId, erasureId), null)
  if (draft.keys.get(erasureMarker(erasureId)) !== undefined)
    draft.keys.put(erasureMarker(erasureId), null)
}

/** Of the parts that are replaced now, and of older copies of them from before a rotation. */
function keksOf(draft: Draft, ringVersions: ReadonlySet<number>): string[] {
  const unused = draft.rotation()?.unusedKeks.map(({ kek }) => kek) ?? []
  return [...new Set([...kekIdsOf(draft.keys, 'open', ringVersions), ...unused])].sort()
}

type EraParts = { readonly levels: number[] }

/** The eras of a stream that have a tree, and the levels that each has a key of. */
function erasOf(draft: Draft, { billingId, streamId }: InputStream): Map<number, EraParts> {
  const prefix = `${billingId}/${streamId}/`
  const eras = new Map<number, { levels: number[]; hasTree: boolean }>()
  for (const key of draft.keys.under(prefix)) {
    const [era = '', part = ''] = key.slice(prefix.length).split('/')
    const parts = eras.get(Number(era)) ?? { levels: [], hasTree: false }
    eras.set(Number(era), parts)
    const level = levelOfPart(part)
    if (level !== undefined) parts.levels.push(level)
    else if (suffixOfPart(part) !== undefined) parts.hasTree = true
  }
  return new Map([...eras].filter(([, { hasTree }]) => hasTree).sort(([a], [b]) => a - b))
}

type Cut = {
  readonly at: StreamEra
  readonly prefixesIn: (keys: EraKeys) => readonly string[]
  readonly onReplaced: (value: Buffer) => void
}

/** The suffixes of the tree parts that were there and are replaced. */
function punctureEra(
  deps: Puncturing,
  draft: Draft,
  { at, prefixesIn, onReplaced }: Cut,
): string[] {
  const keys = keysOf(deps, draft, at)
  const replaced: string[] = []
  for (const [suffix, plain] of changesOf(at, keys, prefixesIn)) {
    const recordKey = eraPrefix(at) + treePart(suffix)
    const before = draft.keys.get(recordKey)
    if (before !== undefined) {
      replaced.push(suffix)
      onReplaced(before)
    }
    const ring = deps.wrappingKeys.current('open')
    draft.keys.put(recordKey, plain === undefined ? null : wrapPart({ ...ring, recordKey, plain }))
    plain?.fill(0)
  }
  return replaced
}

function changesOf(at: StreamEra, keys: EraKeys | undefined, prefixesIn: Cut['prefixesIn']) {
  if (keys === undefined) throw unreadable(at)
  try {
    const changes = [...puncture(keys, prefixesIn(keys)).changes]
    // Of a part that is split the sixteen come first: whoever has read half of it lacks nothing meanwhile.
    return changes.sort(([, a], [, b]) => Number(a === undefined) - Number(b === undefined))
  } catch (error) {
    if (!hasCode(error, 'fieldcrypt.key_unavailable', 'fieldcrypt.record_unreadable')) throw error
    throw unreadable(at, error)
  }
}

/** As the changes before this one leave them: two erasures in one transaction must both hold. */
function keysOf({ follower, log }: Puncturing, draft: Draft, at: StreamEra): EraKeys | undefined {
  const { keyring } = follower
  if (!draft.keys.isChanged(eraPrefix(at)))
    return keyring.eraKeys(at.billingId, at.streamId, at.era)
  const open = (recordKey: string, ring: string): Buffer | undefined => {
    const value = draft.keys.get(recordKey)
    return value && keyring.openValue(recordKey, ring, value)
  }
  return openEra({ under: draft.keys.under, open, log }, at)
}

const unreadable = ({ streamId, era }: StreamEra, cause?: unknown): Refusal =>
  refusal(
    'unavailable',
    `The keys of stream ${streamId}, era ${era}, cannot be read now, so nothing was erased; try again`,
    { cause },
  )
