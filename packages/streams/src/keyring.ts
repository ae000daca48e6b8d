// The in-memory half of `weir.keys`: wrapped parts and rings by record key, rings unwrapped as they
// arrive, parts opened at first use (docs/keys.md). A part that is missing, or whose ring can't be
// unwrapped, is «unknown» and never taken for erased.
import { createSecretKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { backoff, delay } from '@weir/kit'
import type { Log } from '@weir/kit'
import {
  eraKeys,
  levelPart,
  ringOfPart,
  ringVersionOf,
  suffixOfPart,
  unwrapPart,
  unwrapRing,
} from '@weir/fieldcrypt'
import type { EraKeys, KekProvider } from '@weir/fieldcrypt'
import type { KeyStore } from './draft.ts'

export const ringKey = (ring: string, version: number): string => `_ring/${ring}/${version}`
export const privateSigningKey = (kid: string): string => `_signing/${kid}`

export type Keyring = KeyStore & {
  apply(key: string, value: Buffer | null): void
  clear(): void
  /** Keys of a stream's era; undefined while a part that every reader needs is missing or sealed. */
  eraKeys(billingId: string, streamId: string, era: number): EraKeys | undefined
  /** Unwraps one record of `weir.keys`. @throws AppError when its ring isn't there or it is corrupt */
  open(recordKey: string, ring: string): Buffer | undefined
  ring(name: string, version: number): KeyObject | undefined
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
        log.error({ err: error, ring: name, version }, 'the KEK does not unwrap a ring; retrying')
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

  const open = (recordKey: string, ring: string): Buffer | undefined => {
    const value = valueOf(recordKey)
    if (value === undefined) return undefined
    const key = rings.get(ring)?.get(ringVersionOf(value))
    return key === undefined ? undefined : unwrapPart({ ringKey: key, recordKey, value })
  }

  const under = function* (prefix: string): Generator<string> {
    for (const key of values.get(bucketOf(prefix))?.keys() ?? [])
      if (key.startsWith(prefix)) yield key
  }

  /** The same for readers, who wait with an alert where they can't open a part. */
  const openOrAlert = (recordKey: string, part: string): Buffer | undefined => {
    try {
      return open(recordKey, ringOfPart(part))
    } catch (error) {
      log.error({ err: error, part: recordKey }, 'a key part can not be opened')
      return undefined
    }
  }

  const openEra = (prefix: string, streamId: string, era: number): EraKeys | undefined => {
    const part = (name: string): Buffer | undefined => openOrAlert(prefix + name, name)
    const label = part('label')
    // Opened when first searched: most of a large tree is never looked at.
    const trees = [...under(`${prefix}tree`)].map((recordKey) => {
      const name = recordKey.slice(prefix.length)
      return [suffixOfPart(name) ?? name, () => part(name)] as const
    })
    if (label === undefined || trees.length === 0) return undefined
    const level = (number: number): Buffer | undefined => part(levelPart(number))
    return eraKeys({ streamId, era, link: part('link'), label, trees, level })
  }

  return {
    apply(recordKey, value) {
      const name = bucketOf(recordKey)
      const parts = values.get(name) ?? new Map<string, Buffer>()
      if (value === null) parts.delete(recordKey)
      else parts.set(recordKey, value)
      if (parts.size === 0) values.delete(name)
      else values.set(name, parts)
      const [, streamId = '', era] = recordKey.split('/')
      opened.get(streamId)?.delete(Number(era))
      if (recordKey.startsWith('_ring/')) take(recordKey, value)
    },
    clear() {
      values.clear()
      opened.clear()
      rings.clear()
    },
    get: valueOf,
    under,
    eraKeys(billingId, streamId, era) {
      const known = opened.get(streamId)?.get(era)
      if (known !== undefined) return known
      const made = openEra(`${billingId}/${streamId}/${era}/`, streamId, era)
      if (made === undefined) return undefined
      const eras = opened.get(streamId) ?? new Map<number, EraKeys>()
      opened.set(streamId, eras.set(era, made))
      return made
    },
    open,
    ring: (name, version) => rings.get(name)?.get(version),
    newestRing(name) {
      const versions = rings.get(name)
      if (versions === undefined || versions.size === 0) return undefined
      const version = Math.max(...versions.keys())
      const key = versions.get(version)
      return key === undefined ? undefined : { version, key }
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
