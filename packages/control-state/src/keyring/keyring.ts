// The in-memory half of `weir.keys`: wrapped parts and rings by record key, rings unwrapped as they
// arrive, parts opened at first use (docs/keys.md). A part that is missing, or whose ring can't be
// unwrapped, is «unknown» and never taken for erased.
import { createSecretKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { backoff, delay } from '@weir/kit'
import type { Log } from '@weir/kit'
import { ringVersionOf, suffixOfPart, unwrapPart, unwrapRing } from '@weir/fieldcrypt'
import type { EraKeys, KekProvider } from '@weir/fieldcrypt'
import type { KeyStore } from '../tables/draft.ts'
import { openEra, withTreePart } from './open-era.ts'
import type { EraSource } from './open-era.ts'

/** Without a version: what all of the ring's keys begin with. */
export const ringKey = (ring: string, version: number | ''): string => `_ring/${ring}/${version}`
export const versionOfRingKey = (key: string): number => Number(key.slice(key.lastIndexOf('/') + 1))
/** Of a ring, by the keys of its versions; undefined when there are none. */
function newestVersion(keys: Iterable<string>): number | undefined {
  const versions = [...keys].map(versionOfRingKey)
  return versions.length === 0 ? undefined : Math.max(...versions)
}
/** Lies in the log where an erasure does; nobody opens it. */
export const erasureMarker = (erasureId: string): string => `_erasure/${erasureId}`
export const privateReceiptKey = (kid: string): string => `_receipt/${kid}`
export const privateSigningKey = (kid: string): string => `_signing/${kid}`

export type Keyring = KeyStore & {
  apply(key: string, value: Buffer | null): void
  clear(): void
  /** Keys of a stream's era; undefined while a part that every reader needs is missing or sealed. */
  eraKeys(billingId: string, streamId: string, era: number): EraKeys | undefined
  /** Unwraps one record of `weir.keys`. @throws AppError when its ring isn't there or it is corrupt */
  open(recordKey: string, ring: string): Buffer | undefined
  /** The same for a value that isn't committed yet. */
  openValue(recordKey: string, ring: string, value: Buffer): Buffer | undefined
  ring(name: string, version: number): KeyObject | undefined
  /** By what was written; undefined also while that one can't be unwrapped, so that no older one is used. */
  newestRing(name: string): { version: number; key: KeyObject } | undefined
  /** Rings that this service may use and can't unwrap yet: it isn't ready while there are any. */
  pendingRings(): string[]
  /** Resolves when every ring that has arrived so far is unwrapped. */
  ringsSettled(): Promise<void>
  close(): void
}

export function createKeyring(options: {
  kek: KekProvider
  log: Log
  /** Which rings this service may unwrap at all: output never has `link`. */
  mayUse: (ring: string) => boolean
}): Keyring {
  const { kek, log, mayUse } = options
  const values = new Map<string, Map<string, Buffer>>()
  const rings = new Map<string, Map<number, KeyObject>>()
  const pending = new Map<string, Promise<void>>()
  /** By stream and era. */
  const opened = new Map<string, Map<number, EraKeys>>()
  const stopping = new AbortController()

  const valueOf = (recordKey: string): Buffer | undefined =>
    values.get(bucketOf(recordKey))?.get(recordKey)

  const unwrap = async (
    recordKey: string,
    name: string,
    version: number,
    value: Buffer,
  ): Promise<void> => {
    // Most rings of the past are gone a few records later: nobody is asked about those.
    await setImmediate()
    let tries = 0
    for (const pauseMs of backoff({ minMs: 200, maxMs: 10_000 })) {
      if (stopping.signal.aborted || valueOf(recordKey) !== value) return
      try {
        const plain = await unwrapRing(kek, recordKey, value)
        const versions = rings.get(name) ?? new Map<number, KeyObject>()
        rings.set(name, versions.set(version, createSecretKey(plain)))
        plain.fill(0)
        opened.clear()
        return
      } catch (error) {
        if (tries++ > 0)
          log.error(
            { err: error, ring: name, version },
            'the KEK does not unwrap a wrapping key; trying again',
          )
        await delay(pauseMs, stopping.signal).catch(() => {})
      }
    }
  }

  const take = (recordKey: string, value: Buffer | null): void => {
    const [, name, version] = /^_ring\/([^/]+)\/(\d+)$/.exec(recordKey) ?? []
    if (name === undefined || version === undefined || !mayUse(name)) return
    if (value === null) {
      rings.get(name)?.delete(Number(version))
      return
    }
    const work = unwrap(recordKey, name, Number(version), value).finally(() => {
      if (pending.get(recordKey) === work) pending.delete(recordKey)
    })
    pending.set(recordKey, work)
  }

  const openValue = (recordKey: string, ring: string, value: Buffer): Buffer | undefined => {
    const key = rings.get(ring)?.get(ringVersionOf(value))
    return key === undefined ? undefined : unwrapPart({ ringKey: key, recordKey, value })
  }
  const open = (recordKey: string, ring: string): Buffer | undefined => {
    const value = valueOf(recordKey)
    return value === undefined ? undefined : openValue(recordKey, ring, value)
  }

  const under = function* (prefix: string): Generator<string> {
    for (const key of values.get(bucketOf(prefix))?.keys() ?? [])
      if (key.startsWith(prefix)) yield key
  }

  const eraSource: EraSource = { under, open, log }

  /** What was opened of an era goes, but for the tree's other parts when only one of them has changed. */
  const reopen = (recordKey: string, isThere: boolean): void => {
    const [billingId = '', streamId = '', number, part = ''] = recordKey.split('/')
    const eras = opened.get(streamId)
    const era = Number(number)
    const known = eras?.get(era)
    if (eras === undefined || known === undefined) return
    const suffix = suffixOfPart(part)
    const at = { billingId, streamId, era }
    const changed =
      suffix === undefined ? undefined : withTreePart(eraSource, known, { at, suffix, isThere })
    if (changed === undefined) eras.delete(era)
    else eras.set(era, changed)
  }

  return {
    apply(recordKey, arrived) {
      // A copy: what arrived is a piece of a whole fetch, most of which may be long out of date.
      const value = arrived && Buffer.from(arrived)
      const name = bucketOf(recordKey)
      const parts = values.get(name) ?? new Map<string, Buffer>()
      if (value === null) parts.delete(recordKey)
      else parts.set(recordKey, value)
      if (parts.size === 0) values.delete(name)
      else values.set(name, parts)
      reopen(recordKey, value !== null)
      if (recordKey.startsWith('_ring/')) take(recordKey, value)
    },
    clear() {
      values.clear()
      opened.clear()
      rings.clear()
    },
    get: valueOf,
    under,
    *keys() {
      for (const records of values.values()) yield* records.keys()
    },
    eraKeys(billingId, streamId, era) {
      const known = opened.get(streamId)?.get(era)
      if (known !== undefined) return known
      const made = openEra(eraSource, { billingId, streamId, era })
      if (made === undefined) return undefined
      const eras = opened.get(streamId) ?? new Map<number, EraKeys>()
      opened.set(streamId, eras.set(era, made))
      return made
    },
    open,
    openValue,
    ring: (name, version) => rings.get(name)?.get(version),
    newestRing(name) {
      const version = newestVersion(under(ringKey(name, '')))
      const key = version === undefined ? undefined : rings.get(name)?.get(version)
      return version === undefined || key === undefined ? undefined : { version, key }
    },
    pendingRings: () => [...pending.keys()],
    async ringsSettled() {
      while (pending.size > 0) await Promise.all(pending.values())
    },
    close: () => stopping.abort(),
  }
}

/** Keys lie together by stream (`<billingId>/<streamId>/`), the few others by kind (`_ring/`). */
function bucketOf(key: string): string {
  const first = key.indexOf('/') + 1
  return key.slice(0, key.startsWith('_') ? first : key.indexOf('/', first) + 1)
}
