// Taking subtrees out of the trees of a stream's retained eras, in a change: parts are read as the changes before it leave
// them, punctured, and put again under the newest wrapping key.
import {
  levelOfPart,
  prefixesOf,
  puncture,
  ringVersionOf,
  suffixOfPart,
  treePart,
  wrapPart,
} from '@weir/fieldcrypt'
import type { EraKeys } from '@weir/fieldcrypt'
import type { Refusal } from '@weir/http-api'
import { hasCode } from '@weir/kit'
import type { Log } from '@weir/kit'
import { eraPrefix, openEra } from '@weir/control-state'
import type { Draft, InputStream, StateFollower, StreamEra } from '@weir/control-state'
import type { Changes } from '../changes.ts'
import type { WrappingKeys } from '../keys/wrapping-keys.ts'
import { refusal } from '../../errors.ts'

/** What reads the keys of an era and cuts people out of them. */
export type Puncturing = Pick<Changes, 'now'> & {
  readonly wrappingKeys: WrappingKeys
  readonly follower: Pick<StateFollower, 'keyring'>
  readonly log: Log
}

/** What goes: of each era what lies under these links, for all levels or for the highest alone. */
export type Subtrees = {
  readonly stream: InputStream
  /** Every link under which something may have been sealed in the era. */
  readonly linksIn: (keys: EraKeys) => readonly Uint8Array[]
  readonly fromLevel?: number | undefined
}

type Punctured = {
  readonly levels: ReadonlySet<number>
  /** By era, the suffixes of the tree parts that were there and are replaced. */
  readonly replaced: Readonly<Record<string, readonly string[]>>
  /** The versions of the wrapping key that those lay under. */
  readonly oldRings: ReadonlySet<number>
}

/** @throws Refusal `unavailable` when a part of an era can't be read: a link left out would stay readable */
export function punctureEras(
  deps: Puncturing,
  draft: Draft,
  { stream, linksIn, fromLevel }: Subtrees,
): Punctured {
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
    // When a part is split, its sixteen pieces come first: a replica that has followed half of it lacks nothing.
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
