// The in-memory half of `weir.keys`, in three: the wrapped records by key, the wrapping keys, unwrapped as they
// arrive, and here the keys of eras, opened at first use (docs/keys.md). A part that is missing, or whose ring can't be
// unwrapped, is «unknown» and never taken for erased.
import { ringVersionOf, suffixOfPart, unwrapPart } from '@weir/fieldcrypt'
import type { EraKeys } from '@weir/fieldcrypt'
import { createKeyStore } from './key-store.ts'
import type { KeyStore } from './key-store.ts'
import { openEra, withTreePart } from './open-era.ts'
import type { EraSource } from './open-era.ts'
import { createUnwrappedRings } from './unwrapped-rings.ts'
import type { RingOptions, Rings } from './unwrapped-rings.ts'

/** What lies in `weir.keys`, opened. */
export type Keyring = {
  /** Keys of a stream's era; undefined while a part that every reader needs is missing or sealed. */
  eraKeys(billingId: string, streamId: string, era: number): EraKeys | undefined
  /** Unwraps one record of `weir.keys`. @throws AppError when its ring isn't there or it is corrupt */
  open(recordKey: string, ring: string): Buffer | undefined
  /** The same for a value that isn't committed yet. */
  openValue(recordKey: string, ring: string, value: Buffer): Buffer | undefined
}

export type Keys = {
  readonly keyStore: KeyStore
  readonly rings: Rings
  readonly keyring: Keyring
  apply(recordKey: string, value: Buffer | null): void
  clear(): void
  close(): void
}

export function createKeys(options: RingOptions): Keys {
  const keyStore = createKeyStore()
  const rings = createUnwrappedRings({ ...options, keyStore, onUnwrapped: () => eras.clear() })

  const openValue = (recordKey: string, ring: string, value: Buffer): Buffer | undefined => {
    const ringKey = rings.key(ring, ringVersionOf(value))
    return ringKey === undefined ? undefined : unwrapPart({ ringKey, recordKey, value })
  }
  const open = (recordKey: string, ring: string): Buffer | undefined => {
    const value = keyStore.get(recordKey)
    return value === undefined ? undefined : openValue(recordKey, ring, value)
  }
  const eras = keepEras({ under: keyStore.under, open, log: options.log })

  return {
    keyStore,
    rings,
    keyring: { eraKeys: eras.keys, open, openValue },
    apply(recordKey, arrived) {
      // A copy: what arrived is a piece of a whole fetch, most of which may be long out of date.
      const value = arrived && Buffer.from(arrived)
      keyStore.put(recordKey, value)
      eras.reopen(recordKey, value !== null)
      rings.apply(recordKey, value)
    },
    clear() {
      for (const each of [keyStore, eras, rings]) each.clear()
    },
    close: rings.close,
  }
}

/** The eras that were opened, until a record of theirs changes. */
function keepEras(source: EraSource) {
  /** By stream and era. */
  const opened = new Map<string, Map<number, EraKeys>>()
  return {
    keys(billingId: string, streamId: string, era: number): EraKeys | undefined {
      const known = opened.get(streamId)?.get(era)
      if (known !== undefined) return known
      const made = openEra(source, { billingId, streamId, era })
      if (made === undefined) return undefined
      const eras = opened.get(streamId) ?? new Map<number, EraKeys>()
      opened.set(streamId, eras.set(era, made))
      return made
    },
    /** What was opened of an era goes, but for the tree's other parts when only one of them has changed. */
    reopen(recordKey: string, isThere: boolean): void {
      const [billingId = '', streamId = '', number, part = ''] = recordKey.split('/')
      const eras = opened.get(streamId)
      const era = Number(number)
      const known = eras?.get(era)
      if (eras === undefined || known === undefined) return
      const suffix = suffixOfPart(part)
      const at = { billingId, streamId, era }
      const changed =
        suffix === undefined ? undefined : withTreePart(source, known, { at, suffix, isThere })
      if (changed === undefined) eras.delete(era)
      else eras.set(era, changed)
    },
    clear: () => opened.clear(),
  }
}
