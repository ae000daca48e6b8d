// Decrypts an era's key records, from the tables that follow `weir.keys` or from an uncommitted change. A reader that
// can't decrypt a record waits and raises an alert. Such a record never counts as erased.
import {
  eraKeys,
  levelOfPart,
  levelPart,
  openTreePart,
  replaceTreeParts,
  keyNameOfPart,
  suffixOfPart,
  treePart,
  withTree,
} from '@weir/fieldcrypt'
import type { EraKeys, OpenPart, TreePart } from '@weir/fieldcrypt'
import type { Log } from '@weir/kit'

export type StreamEra = {
  readonly billingId: string
  readonly streamId: string
  readonly era: number
}

export type EraSource = {
  under(prefix: string): Iterable<string>
  /** Undefined if the record or its wrapping key is missing. @throws FieldcryptError `fieldcrypt.record_unreadable` */
  open(recordKey: string, keyName: string): Buffer | undefined
  /** Returns the result of `make` for a tree record, cached while there is room and the record is unchanged. */
  kept(at: StreamEra, recordKey: string, make: () => OpenPart | undefined): OpenPart | undefined
  log: Pick<Log, 'error'>
}

export const eraPrefix = ({ billingId, streamId, era }: StreamEra): string =>
  `${billingId}/${streamId}/${era}/`

export function levelsInEra({ under }: Pick<EraSource, 'under'>, at: StreamEra): number[] {
  const prefix = eraPrefix(at)
  return [...under(`${prefix}level.`)].flatMap((key) => levelOfPart(key.slice(prefix.length)) ?? [])
}

function openPart({ open, log }: EraSource, at: StreamEra, part: string): Buffer | undefined {
  const recordKey = eraPrefix(at) + part
  try {
    return open(recordKey, keyNameOfPart(part))
  } catch (error) {
    log.error({ err: error, part: recordKey }, 'a key record cannot be decrypted')
    return undefined
  }
}

/** Decrypts a tree record only when it is searched, because most of a large tree is never read. */
const treeSource = (source: EraSource, at: StreamEra, suffix: string): TreePart => ({
  open: () =>
    source.kept(at, eraPrefix(at) + treePart(suffix), () => {
      const bytes = openPart(source, at, treePart(suffix))
      return bytes && openTreePart(bytes, suffix)
    }),
})

/** Undefined while a key record that every reader needs is missing or can't be unwrapped. */
export function openEra(source: EraSource, at: StreamEra): EraKeys | undefined {
  const prefix = eraPrefix(at)
  const part = (name: string): Buffer | undefined => openPart(source, at, name)
  const label = part('label')
  const trees = [...source.under(`${prefix}tree`)].map((recordKey) => {
    const name = recordKey.slice(prefix.length)
    const suffix = suffixOfPart(name) ?? name
    return [suffix, treeSource(source, at, suffix)] as const
  })
  if (label === undefined || trees.length === 0) return undefined
  const level = (number: number): Buffer | undefined => part(levelPart(number))
  const withdrawn = new Map(
    [...source.under(`${prefix}withdrawn.`)].map((recordKey) => {
      const name = recordKey.slice(prefix.length)
      return [name, () => part(name)] as const
    }),
  )
  const { streamId, era } = at
  return eraKeys({ streamId, era, link: part('link'), label, trees, level, withdrawn })
}

/**
 * Updates the keys after some of their tree records, named by suffix, were written or removed. The other tree records
 * stay decrypted, because a tree may have thousands of records, and an erasure changes only a few.
 */
export function withTreeParts(
  source: EraSource,
  keys: EraKeys,
  { at, isThere }: { at: StreamEra; isThere: ReadonlyMap<string, boolean> },
): EraKeys | undefined {
  const changes = [...isThere].map(
    ([suffix, is]) => [suffix, is ? treeSource(source, at, suffix) : undefined] as const,
  )
  const tree = replaceTreeParts(keys.tree, changes)
  return tree.parts.size === 0 ? undefined : withTree(keys, tree)
}
