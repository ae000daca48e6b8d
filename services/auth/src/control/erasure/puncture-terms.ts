// Removes links from the key trees of a stream's retained terms (`Cut`). A transaction (`Piece`) removes as many as
// fit. Its records are computed in advance, in steps that let other work run. `isAsPrepared` then checks that the trees
// have not changed.
import {
  addWithdrawn,
  prefixesOf,
  keyVersionOf,
  startCutting,
  suffixOfPart,
  treePart,
  withdrawnPartOf,
  wrapPart,
} from '@weir/fieldcrypt'
import type { TermKeys } from '@weir/fieldcrypt'
import type { Refusal } from '@weir/http-api'
import { AppError, hasCode, takingTurns } from '@weir/kit'
import { keyRecordName, levelsInTerm, termPrefix } from '@weir/control-state'
import type { Draft, InputStream, KeyStore, ReplacedPart, StateFollower } from '@weir/control-state'
import type { WrappingKeys } from '../keys/wrapping-keys.ts'
import { refusal } from '../../errors.ts'

export type Puncturing = {
  readonly wrappingKeys: WrappingKeys
  readonly follower: Pick<StateFollower, 'keyring' | 'keyStore' | 'wrappingKeys'>
}

/** A link under which fields may have been encrypted in a term. */
export type Cut = { readonly term: number; readonly link: Uint8Array }

/** A term that has a tree, and the levels that have keys in it. */
export type Term = { readonly term: number; readonly levels: readonly number[] }

type PreparedPart = {
  readonly term: number
  /**
   * The suffix of a tree record. Undefined for a `withdrawn` record: it contains no key, so its old versions may
   * remain.
   */
  readonly suffix: string | undefined
  readonly recordKey: string
  /** The current wrapped value; undefined for a new record. */
  readonly before: Buffer | undefined
  /** The new plaintext; undefined for a tombstone. */
  readonly plain: Buffer | undefined
}

export type Piece = {
  /** How many of the cuts this piece makes, from the first one on. */
  readonly done: number
  readonly parts: readonly PreparedPart[]
}

/** Limited, because a transaction must end soon, and its content is in memory several times. */
const pieceCutsMax = 1_000
const pieceBytesMax = 1_000_000

export function termsOf(
  keys: { under(prefix: string): Iterable<string> },
  stream: InputStream,
): Term[] {
  const terms = new Set<number>()
  for (const key of keys.under(`${stream.billingId}/${stream.streamId}/t`)) {
    const { term, part = '' } = keyRecordName(key) ?? {}
    if (term !== undefined && suffixOfPart(part) !== undefined) terms.add(term)
  }
  return [...terms]
    .sort((a, b) => a - b)
    .map((term) => ({ term, levels: levelsInTerm(keys, { ...stream, term }) }))
}

/**
 * Returns all links to remove; undefined if a change or rotation made keys unreadable meanwhile.
 * @throws Refusal `unavailable` if keys are unreadable for another reason, because a missed link would stay readable
 */
export async function cutsIn(
  { follower }: Puncturing,
  { stream, terms, linksIn }: Subtrees & { readonly terms: readonly Term[] },
): Promise<Cut[] | undefined> {
  const cuts: Cut[] = []
  const turn = takingTurns()
  for (const { term } of terms) {
    const { hasChanged } = watchTree(follower.keyStore, termPrefix({ ...stream, term }))
    try {
      const found: Cut[] = []
      for (const link of linksIn(keysOf(follower, stream, term))) {
        found.push({ term, link })
        await turn()
      }
      // Sorted, because links with the same first digits are in the same key record.
      for (const cut of found.toSorted((a, b) => Buffer.compare(a.link, b.link))) cuts.push(cut)
    } catch (error) {
      if (!isUnreadable(error)) throw error
      if (hasChanged() || isRotating(follower)) return undefined
      throw unreadable({ stream, term }, error)
    }
  }
  return cuts
}

export type Subtrees = {
  readonly stream: InputStream
  /** Yields every link under which fields may have been encrypted in the term. */
  readonly linksIn: (keys: TermKeys) => Iterable<Uint8Array>
}

/**
 * Prepares a transaction that makes the first cuts, as many as fit. Returns undefined if a change or rotation made keys
 * unreadable meanwhile.
 * @throws as `cutsIn` does
 */
export async function preparePiece(
  { follower }: Puncturing,
  { stream, cuts, levels }: Planned,
): Promise<Piece | undefined> {
  const parts: PreparedPart[] = []
  let [done, bytes] = [0, 0]
  while (done < Math.min(cuts.length, pieceCutsMax) && bytes < pieceBytesMax) {
    const term = cuts[done]?.term ?? 0
    const inTerm = cuts.slice(done).filter((cut) => cut.term === term)
    if (!hasTree(follower.keyStore, termPrefix({ ...stream, term }))) {
      // The keys of this term have expired, so its cuts count as done.
      done += inTerm.length
      continue
    }
    const room = { cuts: pieceCutsMax - done, bytes: pieceBytesMax - bytes }
    const made = await prepareTerm(follower, { stream, term, cuts: inTerm, levels, room })
    if (made === undefined) return undefined
    done += made.done
    bytes += made.bytes
    parts.push(...made.parts)
  }
  return { done, parts }
}

type Planned = {
  readonly stream: InputStream
  readonly cuts: readonly Cut[]
  /** The levels to withdraw; undefined: the whole person is erased. */
  readonly levels?: readonly number[] | undefined
}

type PlannedTerm = Planned & {
  readonly term: number
  readonly room: { readonly cuts: number; readonly bytes: number }
}

async function prepareTerm(
  follower: Puncturing['follower'],
  { stream, term, cuts, levels, room }: PlannedTerm,
): Promise<(Piece & { readonly bytes: number }) | undefined> {
  const prefix = termPrefix({ ...stream, term })
  // Reads all values at the same moment, so that a later change is detected.
  const { before, hasChanged } = watchTree(follower.keyStore, prefix)
  const turn = takingTurns()
  const parts: PreparedPart[] = []
  let done = 0
  try {
    const cutting = startCutting(keysOf(follower, stream, term))
    for (const { link } of cuts) {
      if (done >= room.cuts || cutting.bytes() >= room.bytes) break
      for (const path of prefixesOf(link, levels)) cutting.remove(path)
      done += 1
      await turn()
    }
    for (const [suffix, plain] of cutting.changes()) {
      const recordKey = prefix + treePart(suffix)
      parts.push({ term, suffix, recordKey, before: before.get(recordKey), plain })
      await turn()
    }
    const withdrawn = withdrawnParts(follower, { prefix, term, cuts: cuts.slice(0, done), levels })
    const bytes = withdrawn.reduce((sum, { plain }) => sum + (plain?.length ?? 0), cutting.bytes())
    return { done, parts: [...parts, ...withdrawn], bytes }
  } catch (error) {
    if (!isUnreadable(error)) throw error
    if (hasChanged() || isRotating(follower)) return undefined
    throw unreadable({ stream, term }, error)
  }
}

type Withdrawing = {
  readonly prefix: string
  readonly term: number
  readonly cuts: readonly Cut[]
  readonly levels: readonly number[] | undefined
}

/** Returns the changed `withdrawn` records. */
function withdrawnParts(
  { keyring, keyStore }: Puncturing['follower'],
  { prefix, term, cuts, levels = [] }: Withdrawing,
): PreparedPart[] {
  if (levels.length === 0) return []
  const byPart = new Map<string, { link: Uint8Array; levels: readonly number[] }[]>()
  for (const { link } of cuts) {
    const name = withdrawnPartOf(link)
    byPart.set(name, [...(byPart.get(name) ?? []), { link, levels }])
  }
  return [...byPart].flatMap(([name, more]) => {
    const recordKey = prefix + name
    const before = keyStore.get(recordKey)
    const known = keyring.open(recordKey, 'open')
    if (before !== undefined && known === undefined) throw partUnavailable(recordKey)
    const plain = addWithdrawn(known, more)
    const isSame = known !== undefined && plain.equals(known)
    return isSame ? [] : [{ term, suffix: undefined, recordKey, before, plain }]
  })
}

const partUnavailable = (recordKey: string) =>
  new AppError('fieldcrypt.key_unavailable', `the key record ${recordKey} is not available`)

/** Whether there are new wrapping keys that this process can't use yet. */
const isRotating = ({ wrappingKeys }: Pick<StateFollower, 'wrappingKeys'>): boolean =>
  wrappingKeys.pending().length > 0

function hasTree(keys: KeyStore, prefix: string): boolean {
  for (const _ of keys.under(`${prefix}tree`)) return true
  return false
}

/** Returns the current key records of a term's tree, and a function that says whether one of them has changed since. */
function watchTree(keys: KeyStore, prefix: string) {
  const before = new Map(partsUnder(keys, prefix))
  const hasChanged = (): boolean =>
    [...before].some(([recordKey, value]) => keys.get(recordKey) !== value)
  return { before, hasChanged }
}

function* partsUnder(keys: KeyStore, prefix: string): Generator<[string, Buffer | undefined]> {
  for (const recordKey of keys.under(`${prefix}tree`)) yield [recordKey, keys.get(recordKey)]
}

/**
 * Whether the trees are unchanged since the piece was prepared. A piece for older trees would restore what another
 * change has erased.
 */
export const isAsPrepared = (draft: Pick<Draft, 'keys'>, { parts }: Piece): boolean =>
  parts.every(({ recordKey, before }) => draft.keys.get(recordKey) === before)

/** Returns the tree records that the piece replaces. */
export const replacedBy = ({ parts }: Piece): (ReplacedPart & { readonly before: Buffer })[] =>
  parts.flatMap(({ term, suffix, before }) =>
    before === undefined || suffix === undefined ? [] : { term, suffix, before },
  )

/** Returns the versions of the wrapping key that wrapped the replaced records. */
export const keyVersionsReplacedBy = (piece: Piece): ReadonlySet<number> =>
  new Set(replacedBy(piece).map(({ before }) => keyVersionOf(before)))

/** Wraps the records with the newest wrapping key and puts them. */
export function putPiece({ wrappingKeys }: Puncturing, draft: Draft, { parts }: Piece): void {
  const wrappingKey = wrappingKeys.current('open')
  for (const { recordKey, plain } of parts)
    draft.keys.put(
      recordKey,
      plain === undefined ? null : wrapPart({ ...wrappingKey, recordKey, plain }),
    )
}

/** Overwrites the plaintext. Call when the piece is no longer needed. */
export function wipe({ parts }: Piece): void {
  for (const { plain } of parts) plain?.fill(0)
}

type At = { readonly stream: InputStream; readonly term: number }

function keysOf(
  { keyring }: Pick<StateFollower, 'keyring'>,
  stream: InputStream,
  term: number,
): TermKeys {
  const keys = keyring.termKeys(stream.billingId, stream.streamId, term)
  if (keys === undefined) throw keyUnavailable(stream.streamId, term)
  return keys
}

const keyUnavailable = (streamId: string, term: number) =>
  new AppError(
    'fieldcrypt.key_unavailable',
    `the keys of stream ${streamId}, term ${term}, are not available`,
  )

const isUnreadable = (error: unknown): boolean =>
  hasCode(error, 'fieldcrypt.key_unavailable', 'fieldcrypt.record_unreadable')

const unreadable = ({ stream, term }: At, cause?: unknown): Refusal =>
  refusal(
    'unavailable',
    `The keys of stream ${stream.streamId}, term ${term}, cannot be read now, so nothing was erased; try again`,
    { cause },
  )
