// Caches people's keys until they are too old. A key must not be used longer than output permits, because an erasure
// waits for exactly this time.
import type { KeysOrReason } from './encrypted.ts'

const entriesMax = 100_000

export type KeyCache = {
  get(name: string): KeysOrReason | undefined
  put(name: string, keys: KeysOrReason, goodUntilMs: number): void
}

/** `nowMs` must be the clock of `goodUntilMs`, and must never go backwards. */
export function createKeyCache(nowMs: () => number): KeyCache {
  const kept = new Map<string, { readonly keys: KeysOrReason; readonly goodUntilMs: number }>()
  return {
    get(name) {
      const entry = kept.get(name)
      if (entry === undefined || nowMs() < entry.goodUntilMs) return entry?.keys
      kept.delete(name)
      return undefined
    },
    put(name, keys, goodUntilMs) {
      kept.delete(name)
      kept.set(name, { keys, goodUntilMs })
      const [oldest] = kept.keys()
      if (kept.size > entriesMax && oldest !== undefined) kept.delete(oldest)
    },
  }
}
