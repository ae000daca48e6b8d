// `weir.keys` in memory: the wrapped records by key, the wrapping keys, and the keys of eras (docs/keys.md). Wrapping
// keys are unwrapped as they arrive. The keys of an era are decrypted at first use. A key record that is missing, or
// whose wrapping key can't be unwrapped, is «unknown» and never counts as erased.
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
  /** The keys of a stream's era. Undefined while a record that every reader needs is missing or can't be unwrapped. */
  eraKeys(billingId: string, streamId: string, era: number): EraKeys | undefined
  /**
   * Unwraps one record of `weir.keys`. Undefined if it or its wrapping key is missing. @throws FieldcryptError
   * `fieldcrypt.record_unreadable`
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
      // A copy, because the value is a slice of a whole fetch, which must not stay in memory.
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
 * Caches recently decrypted tree records, within a bound, because a tree may have hundreds of megabytes. Removed
 * records are wiped.
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
  /** The suffixes of tree records that were written or removed since. The next look-up processes them together. */
  readonly changed: Map<string, boolean>
}

/** Caches the keys of each era until one of its records changes. */
function keepEras(source: EraSource) {
  /** The decrypted eras by stream and era. */
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
    /** Drops an era's decrypted keys. If only tree records changed, its other tree records are kept. */
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
