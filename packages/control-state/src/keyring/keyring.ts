// `weir.keys` in memory: the wrapped records by key, the wrapping keys, which are unwrapped as they arrive, and here
// the keys of eras, which are decrypted at first use (docs/keys.md). A key record that is missing, or whose wrapping
// key can't be unwrapped, is «unknown» and never counts as erased.
import { createLru, keyVersionOf, suffixOfPart, unwrapPart } from '@weir/fieldcrypt'
import type { Cacheable, EraKeys, OpenPart } from '@weir/fieldcrypt'
import { createKeyStore } from './key-store.ts'
import type { KeyStore } from './key-store.ts'
import { openEra, withTreeParts } from './open-era.ts'
import type { EraSource, StreamEra } from './open-era.ts'
import { createUnwrappedKeys } from './unwrapped-keys.ts'
import type { UnwrapOptions, UnwrappedKeys } from './unwrapped-keys.ts'

/** The decrypted content of `weir.keys`. */
export type Keyring = {
  /** Keys of a stream's era; undefined while a key record that every reader needs is missing or can't be unwrapped. */
  eraKeys(billingId: string, streamId: string, era: number): EraKeys | undefined
  /**
   * Unwraps one record of `weir.keys`. Undefined if it or its wrapping key is missing. @throws FieldcryptError
   * `fieldcrypt.record_unreadable`
   */
  open(recordKey: string, keyName: string): Buffer | undefined
  /** The same for a value that isn't committed yet. */
  openValue(recordKey: string, keyName: string, value: Buffer): Buffer | undefined
}

/** The bound for decrypted records of trees in memory, of all streams together; one stream may have half of it. */
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
    onUnwrapped: () => eras.clear(),
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
  const eras = keepEras({ under: keyStore.under, open, kept: parts.kept, log: options.log })

  return {
    keyStore,
    wrappingKeys,
    keyring: { eraKeys: eras.keys, open, openValue },
    apply(recordKey, arrived) {
      // A copy: what arrived is a slice of a whole fetch, most of which may be long out of date.
      const value = arrived && Buffer.from(arrived)
      keyStore.put(recordKey, value)
      parts.drop(recordKey)
      eras.reopen(recordKey, value !== null)
      wrappingKeys.apply(recordKey, value)
    },
    clear() {
      for (const each of [keyStore, parts, eras, wrappingKeys]) each.clear()
    },
    close: wrappingKeys.close,
  }
}

/**
 * Keeps records of trees that were decrypted lately, within a bound: a tree may have hundreds of megabytes. Removed
 * ones are wiped.
 */
function keepOpenParts(kilobytesMax: number) {
  const lru = createLru<KeptPart>(kilobytesMax)
  return {
    kept(
      { streamId }: StreamEra,
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

type OpenedEra = {
  readonly keys: EraKeys
  /**
   * Records of its tree that were written or removed since, by suffix. They are processed together at the next look-up.
   */
  readonly changed: Map<string, boolean>
}

/** Keeps the keys of eras until one of their records changes. */
function keepEras(source: EraSource) {
  /** By stream and era. */
  const opened = new Map<string, Map<number, OpenedEra>>()
  const keysNow = (at: StreamEra, known: OpenedEra | undefined): EraKeys | undefined => {
    if (known === undefined) return openEra(source, at)
    return known.changed.size === 0
      ? known.keys
      : withTreeParts(source, known.keys, { at, isThere: known.changed })
  }
  return {
    keys(billingId: string, streamId: string, era: number): EraKeys | undefined {
      const eras = opened.get(streamId) ?? new Map<number, OpenedEra>()
      const known = eras.get(era)
      const keys = keysNow({ billingId, streamId, era }, known)
      if (keys === known?.keys) return keys
      if (keys === undefined) eras.delete(era)
      else opened.set(streamId, eras.set(era, { keys, changed: new Map() }))
      return keys
    },
    /** Drops what was decrypted of an era. If only records of the tree have changed, its other records are kept. */
    reopen(recordKey: string, isThere: boolean): void {
      const [, streamId = '', number, part = ''] = recordKey.split('/')
      const eras = opened.get(streamId)
      const suffix = suffixOfPart(part)
      if (suffix === undefined) eras?.delete(Number(number))
      else eras?.get(Number(number))?.changed.set(suffix, isThere)
    },
    clear: () => opened.clear(),
  }
}
