// Decrypts the key records of terms and eras. A record that can't be decrypted is logged, and never counts as erased.
import {
  eraKeys,
  erasOfTerm,
  levelOfPart,
  levelPart,
  openTreePart,
  replaceTreeParts,
  keyNameOfPart,
  suffixOfPart,
  termKeys,
  treePart,
  withTree,
} from '@weir/fieldcrypt'
import type { EraKeys, OpenPart, TermKeys, TreePart } from '@weir/fieldcrypt'
import type { Log } from '@weir/kit'

export type KeyedStream = { readonly billingId: string; readonly streamId: string }
export type StreamEra = KeyedStream & { readonly era: number }
export type StreamTerm = KeyedStream & { readonly term: number }

export type KeySource = {
  under(prefix: string): Iterable<string>
  /**
   * Returns undefined if the record or its wrapping key is missing. @throws FieldcryptError
   * `fieldcrypt.record_unreadable`
   */
  open(recordKey: string, keyName: string): Buffer | undefined
  /** Returns the result of `make` for a tree record. Caches it while the record is unchanged and the cache has room. */
  kept(at: KeyedStream, recordKey: string, make: () => OpenPart | undefined): OpenPart | undefined
  log: Pick<Log, 'error'>
}

const streamPrefix = ({ billingId, streamId }: KeyedStream): string => `${billingId}/${streamId}/`
export const eraPrefix = (at: StreamEra): string => `${streamPrefix(at)}${at.era}/`
export const termPrefix = (at: StreamTerm): string => `${streamPrefix(at)}t${at.term}/`

/** The term or the era that a key record belongs to, and the record's name in it. */
export type KeyRecordName = { readonly part: string } & (
  | { readonly term: number; readonly era?: never }
  | { readonly era: number; readonly term?: never }
)

/**
 * Parses the last two segments of a record key, such as `t49/tree.3` or `591/label`. Returns undefined for other keys.
 */
export function keyRecordName(recordKey: string): KeyRecordName | undefined {
  const [, isTerm, digits, part = ''] = /(?:^|\/)(t)?(\d+)\/([^/]+)$/.exec(recordKey) ?? []
  if (digits === undefined) return undefined
  return isTerm === undefined ? { era: Number(digits), part } : { term: Number(digits), part }
}

export function levelsInEra({ under }: Pick<KeySource, 'under'>, at: StreamEra): number[] {
  const prefix = eraPrefix(at)
  const parts = [...under(`${prefix}level.`)].map((key) => levelOfPart(key.slice(prefix.length)))
  return parts.filter((level) => level !== undefined).sort((a, b) => a - b)
}

/** Returns the levels for which any era of the term has keys. */
export function levelsInTerm(source: Pick<KeySource, 'under'>, at: StreamTerm): number[] {
  const all = erasOfTerm(at.term).flatMap((era) => levelsInEra(source, { ...at, era }))
  return [...new Set(all)].sort((a, b) => a - b)
}

function openPart({ open, log }: KeySource, recordKey: string): Buffer | undefined {
  try {
    return open(recordKey, keyNameOfPart(recordKey.slice(recordKey.lastIndexOf('/') + 1)))
  } catch (error) {
    log.error({ err: error, part: recordKey }, 'a key record cannot be decrypted')
    return undefined
  }
}

/** Decrypts the tree record at its first use, because most records of a large tree are never used. */
const treeSource = (source: KeySource, at: StreamTerm, suffix: string): TreePart => {
  const recordKey = termPrefix(at) + treePart(suffix)
  return {
    open: () =>
      source.kept(at, recordKey, () => {
        const bytes = openPart(source, recordKey)
        return bytes && openTreePart(bytes, suffix)
      }),
  }
}

/** Returns undefined while there is no record of the term's tree. */
export function openTerm(source: KeySource, at: StreamTerm): TermKeys | undefined {
  const prefix = termPrefix(at)
  const trees = [...source.under(`${prefix}tree`)].map((recordKey) => {
    const name = recordKey.slice(prefix.length)
    const suffix = suffixOfPart(name) ?? name
    return [suffix, treeSource(source, at, suffix)] as const
  })
  if (trees.length === 0) return undefined
  const withdrawn = new Map(
    [...source.under(`${prefix}withdrawn.`)].map(
      (recordKey) => [recordKey.slice(prefix.length), () => openPart(source, recordKey)] as const,
    ),
  )
  const { streamId, term } = at
  return termKeys({ streamId, term, link: openPart(source, `${prefix}link`), trees, withdrawn })
}

/** Returns undefined while the label is missing or can't be unwrapped, because every look-up needs the label. */
export function openEra(source: KeySource, at: StreamEra, term: TermKeys): EraKeys | undefined {
  const prefix = eraPrefix(at)
  const label = openPart(source, `${prefix}label`)
  if (label === undefined) return undefined
  const level = (number: number) => openPart(source, prefix + levelPart(number))
  return eraKeys(term, { era: at.era, label, level })
}

/**
 * Updates the keys after tree records were written or removed. `isThere` says for each suffix whether the record
 * exists. Unchanged tree records stay decrypted, because a tree may have thousands of records, and an erasure changes
 * only a few.
 */
export function withTreeParts(
  source: KeySource,
  keys: TermKeys,
  { at, isThere }: { at: StreamTerm; isThere: ReadonlyMap<string, boolean> },
): TermKeys | undefined {
  const changes = [...isThere].map(
    ([suffix, is]) => [suffix, is ? treeSource(source, at, suffix) : undefined] as const,
  )
  const tree = replaceTreeParts(keys.tree, changes)
  return tree.parts.size === 0 ? undefined : withTree(keys, tree)
}
