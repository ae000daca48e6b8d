// The contents of `weir.keys` in memory (docs/keys.md). Wrapping keys are unwrapped when their records are read. The
// keys of a term or an era are decrypted at first use. A key record that is missing, or whose wrapping key can't be
// unwrapped, is «unknown» and never counts as erased.
import {
  createLru,
  keyVersionOf,
  suffixOfPart,
  termOf,
  unwrapPart,
  withTerm,
} from '@weir/fieldcrypt'
import type { Cacheable, EraKeys, OpenPart, TermKeys } from '@weir/fieldcrypt'
import { createKeyStore } from './key-store.ts'
import type { KeyStore } from './key-store.ts'
import { keyRecordName, openEra, openTerm, withTreeParts } from './open-keys.ts'
import type { KeyedStream, KeyRecordName, KeySource } from './open-keys.ts'
import { createUnwrappedKeys } from './unwrapped-keys.ts'
import type { UnwrapOptions, UnwrappedKeys } from './unwrapped-keys.ts'

export type Keyring = {
  /** The keys of a stream's term. Undefined while there is no record of its tree. */
  termKeys(billingId: string, streamId: string, term: number): TermKeys | undefined
  /**
   * The keys of a stream's era. Undefined while the record `label` or the term's tree is missing, or `label` can't be
   * unwrapped.
   */
  eraKeys(billingId: string, streamId: string, era: number): EraKeys | undefined
  /**
   * Unwraps one record of `weir.keys`. Returns undefined if the record or its wrapping key is missing. @throws
   * FieldcryptError `fieldcrypt.record_unreadable`
   */
  open(recordKey: string, keyName: string): Buffer | undefined
  /** Like `open`, for a value that isn't committed yet. */
  openValue(recordKey: string, keyName: string, value: Buffer): Buffer | undefined
}

/** The bound for decrypted tree records in memory, over all streams. One stream may use half of it. */
const OPEN_PARTS_KILOBYTES_MAX = 65_536

export type Keys = {
  readonly keyStore: KeyStore
  readonly wrappingKeys: UnwrappedKeys
  readonly keyring: Keyring
  apply(recordKey: string, value: Buffer | null): void
  clear(): void
  close(): void
}

export function createKeys(
  options: UnwrapOptions & { readonly openPartsKilobytesMax?: number },
): Keys {
  const keyStore = createKeyStore()
  const wrappingKeys = createUnwrappedKeys({
    ...options,
    keyStore,
    onUnwrapped: () => opened.clear(),
  })

  const openValue = (recordKey: string, keyName: string, value: Buffer): Buffer | undefined => {
    const wrappingKey = wrappingKeys.key(keyName, keyVersionOf(value))
    return wrappingKey === undefined ? undefined : unwrapPart({ wrappingKey, recordKey, value })
  }
  const open = (recordKey: string, keyName: string): Buffer | undefined => {
    const value = keyStore.get(recordKey)
    return value === undefined ? undefined : openValue(recordKey, keyName, value)
  }
  const parts = keepOpenParts(options.openPartsKilobytesMax ?? OPEN_PARTS_KILOBYTES_MAX)
  const opened = keepOpened({ under: keyStore.under, open, kept: parts.kept, log: options.log })

  return {
    keyStore,
    wrappingKeys,
    keyring: { termKeys: opened.termKeys, eraKeys: opened.eraKeys, open, openValue },
    apply(recordKey, arrived) {
      const value = arrived && ownCopy(arrived)
      keyStore.put(recordKey, value)
      parts.drop(recordKey)
      opened.reopen(recordKey, value !== null)
      wrappingKeys.apply(recordKey, value)
    },
    clear() {
      for (const each of [keyStore, parts, opened, wrappingKeys]) each.clear()
    },
    close: wrappingKeys.close,
  }
}

/**
 * Returns a copy with memory of its own. The value is a slice of a whole fetch response, and small copies by
 * `Buffer.from` share 64 KiB, which stay in memory as long as one of them.
 */
function ownCopy(value: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(value.length)
  value.copy(copy)
  return copy
}

/**
 * Caches recently decrypted tree records. The cache is bounded, because a tree may have hundreds of megabytes. Records
 * that leave the cache are overwritten with zeros.
 */
function keepOpenParts(kilobytesMax: number) {
  const lru = createLru<KeptPart>(kilobytesMax)
  return {
    kept(
      { streamId }: KeyedStream,
      recordKey: string,
      make: () => OpenPart | undefined,
    ): OpenPart | undefined {
      const kept = lru.get(streamId, recordKey)
      if (kept !== undefined) return kept.part
      const part = make()
      if (part !== undefined) lru.put(streamId, recordKey, keptPart(part))
      return part
    },
    drop(recordKey: string): void {
      const [, streamId = ''] = recordKey.split('/')
      const kept = lru.get(streamId, recordKey)
      if (kept !== undefined) lru.remove(kept)
    },
    clear: lru.clear,
  }
}

type KeptPart = Cacheable & { readonly part: OpenPart }

const keptPart = (part: OpenPart): KeptPart => ({
  part,
  weight: Math.ceil((part.bytes.length + part.offsets.byteLength) / 1_024),
  wipe: () => void part.bytes.fill(0),
})

/** Caches the decrypted keys of each stream until a record that they depend on changes. */
function keepOpened(source: KeySource) {
  const streams = new Map<string, OpenedStream>()
  const openedOf = (billingId: string, streamId: string): OpenedStream => {
    const known = streams.get(streamId)
    if (known !== undefined) return known
    const stream = createOpenedStream(source, { billingId, streamId })
    streams.set(streamId, stream)
    return stream
  }
  return {
    termKeys: (billingId: string, streamId: string, term: number): TermKeys | undefined =>
      openedOf(billingId, streamId).termKeys(term),
    eraKeys: (billingId: string, streamId: string, era: number): EraKeys | undefined =>
      openedOf(billingId, streamId).eraKeys(era),
    /**
     * Drops the decrypted keys that the record affects. If it is a tree record, the other records of the tree stay
     * decrypted.
     */
    reopen(recordKey: string, isThere: boolean): void {
      const name = keyRecordName(recordKey)
      if (name !== undefined) streams.get(recordKey.split('/')[1] ?? '')?.reopen(name, isThere)
    },
    clear: () => streams.clear(),
  }
}

type OpenedTerm = {
  readonly keys: TermKeys
  /** By suffix: whether a changed tree record still exists. The next look-up applies all changes together. */
  readonly changed: Map<string, boolean>
}

type OpenedStream = ReturnType<typeof createOpenedStream>

function createOpenedStream(source: KeySource, stream: KeyedStream) {
  const terms = new Map<number, OpenedTerm>()
  /** By era: its keys, and the term's keys that they contain. */
  const eras = new Map<number, { readonly keys: EraKeys; readonly ofTerm: TermKeys }>()

  const termKeys = (term: number): TermKeys | undefined => {
    const known = terms.get(term)
    if (known?.changed.size === 0) return known.keys
    const at = { ...stream, term }
    const keys =
      known === undefined
        ? openTerm(source, at)
        : withTreeParts(source, known.keys, { at, isThere: known.changed })
    if (keys === undefined) terms.delete(term)
    else terms.set(term, { keys, changed: new Map() })
    return keys
  }
  return {
    termKeys,
    eraKeys(era: number): EraKeys | undefined {
      const ofTerm = termKeys(termOf(era))
      if (ofTerm === undefined) return undefined
      const known = eras.get(era)
      if (known?.ofTerm === ofTerm) return known.keys
      const keys =
        known === undefined
          ? openEra(source, { ...stream, era }, ofTerm)
          : withTerm(known.keys, ofTerm)
      if (keys !== undefined) eras.set(era, { keys, ofTerm })
      return keys
    },
    reopen({ era, term, part }: KeyRecordName, isThere: boolean): void {
      const suffix = suffixOfPart(part)
      if (era !== undefined) eras.delete(era)
      else if (suffix === undefined) terms.delete(term)
      else terms.get(term)?.changed.set(suffix, isThere)
    },
  }
}
