// The wrapping keys of `weir.keys` (`_ring/…`) that this service may use. Each key is unwrapped by its KEK when its
// record is read. A failed attempt is repeated until it succeeds, or until the record is replaced or removed.
import { createSecretKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { backoff, delay } from '@weir/kit'
import type { Log } from '@weir/kit'
import { unwrapByKek } from '@weir/fieldcrypt'
import type { KekProvider } from '@weir/fieldcrypt'
import { parseWrappingKeyId, wrappingKeyId, versionOfKeyId } from './key-forms.ts'
import type { KeyStore } from './key-store.ts'

export type UnwrappedKeys = {
  key(keyName: string, version: number): KeyObject | undefined
  /**
   * The newest version of a wrapping key. Undefined while this version isn't unwrapped, so that no older version is
   * used.
   */
  newest(keyName: string): { version: number; key: KeyObject } | undefined
  /** The record keys of permitted wrapping keys that are not unwrapped yet. */
  pending(): string[]
  /** The record keys that have been pending for more than a second. While there are any, the service isn't ready. */
  stuck(): string[]
  /** Resolves when all wrapping keys that have arrived so far are unwrapped. */
  settled(): Promise<void>
}

export type UnwrapOptions = {
  readonly kek: KekProvider
  readonly log: Log
  /** Which wrapping keys this service may unwrap. output may never unwrap `link`. */
  readonly mayUse: (keyName: string) => boolean
}

/** Unwrapping a new key needs a moment, in which the key is not stuck. */
const stuckAfterMs = 1_000

type Wrapped = {
  readonly recordKey: string
  readonly keyName: string
  readonly version: number
  readonly value: Buffer
}

export function createUnwrappedKeys(
  options: UnwrapOptions & { readonly keyStore: KeyStore; readonly onUnwrapped: () => void },
): UnwrappedKeys & {
  apply(recordKey: string, value: Buffer | null): void
  clear(): void
  close(): void
} {
  const { mayUse, keyStore } = options
  const wrappingKeys = new Map<string, Map<number, KeyObject>>()
  const { begin, ...pending } = createPending()
  const stopping = new AbortController()

  const unwrap = async (wrapped: Wrapped): Promise<void> => {
    const { recordKey, keyName, version, value } = wrapped
    const isWanted = () => !stopping.signal.aborted && keyStore.get(recordKey) === value
    const made = await unwrapUntilDone(options, wrapped, { isWanted, signal: stopping.signal })
    if (made === undefined) return
    const versions = wrappingKeys.get(keyName) ?? new Map<number, KeyObject>()
    wrappingKeys.set(keyName, versions.set(version, made))
    options.onUnwrapped()
  }

  return {
    key: (keyName, version) => wrappingKeys.get(keyName)?.get(version),
    newest(keyName) {
      const version = newestVersion(keyStore.under(wrappingKeyId(keyName, '')))
      const key = version === undefined ? undefined : wrappingKeys.get(keyName)?.get(version)
      return version === undefined || key === undefined ? undefined : { version, key }
    },
    ...pending,
    apply(recordKey, value) {
      const named = parseWrappingKeyId(recordKey)
      if (named === undefined || !mayUse(named.keyName)) return
      if (value === null) return void wrappingKeys.get(named.keyName)?.delete(named.version)
      begin(recordKey, unwrap({ ...named, recordKey, value }))
    },
    clear: () => wrappingKeys.clear(),
    close: () => stopping.abort(),
  }
}

/** Tracks the wrapping keys that are being unwrapped, by record key. Only the last attempt for a record key counts. */
function createPending(): Pick<UnwrappedKeys, 'pending' | 'stuck' | 'settled'> & {
  begin(recordKey: string, work: Promise<void>): void
} {
  const works = new Map<string, { readonly done: Promise<void>; readonly sinceMs: number }>()
  return {
    begin(recordKey, work) {
      const done = work.finally(() => {
        if (works.get(recordKey)?.done === done) works.delete(recordKey)
      })
      works.set(recordKey, { done, sinceMs: performance.now() })
    },
    pending: () => [...works.keys()],
    stuck() {
      const beforeMs = performance.now() - stuckAfterMs
      return [...works].flatMap(([recordKey, { sinceMs }]) =>
        sinceMs < beforeMs ? [recordKey] : [],
      )
    },
    async settled() {
      while (works.size > 0) await Promise.all([...works.values()].map(({ done }) => done))
    },
  }
}

async function unwrapUntilDone(
  { kek, log }: UnwrapOptions,
  { recordKey, keyName, version, value }: Wrapped,
  { isWanted, signal }: { readonly isWanted: () => boolean; readonly signal: AbortSignal },
): Promise<KeyObject | undefined> {
  // Most old wrapping keys are removed a few records later. The pause lets these records be read, so that no removed
  // key is unwrapped.
  await setImmediate()
  let tries = 0
  for (const pauseMs of backoff({ minMs: 200, maxMs: 10_000 })) {
    if (!isWanted()) return undefined
    try {
      const plain = await unwrapByKek(kek, recordKey, value)
      const key = createSecretKey(plain)
      plain.fill(0)
      return key
    } catch (error) {
      if (tries++ > 0)
        log.error(
          { err: error, keyName, version },
          'the KEK does not unwrap a wrapping key; trying again',
        )
      await delay(pauseMs, signal).catch(() => {})
    }
  }
  return undefined
}

/** Returns the highest version in these record keys, if any. */
function newestVersion(keys: Iterable<string>): number | undefined {
  const versions = [...keys].map(versionOfKeyId)
  return versions.length === 0 ? undefined : Math.max(...versions)
}
