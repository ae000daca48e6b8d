// What changes read and write before the writer commits them: the tables as they stand, with
// everything that was put laid over them. Nothing here reaches Kafka.
import type { ControlRecord, RecordStore, State } from './state.ts'
import { overlay, stateOver } from './state.ts'

/** The state as a change sees it, its own puts and those of the changes before it included. */
export type Draft = State & {
  put(key: string, record: ControlRecord | null): void
  /** A record of `weir.keys`: wrapped bytes, or null for a tombstone. */
  putKey(key: string, value: Buffer | null): void
  key(key: string): Buffer | undefined
  /** The keys of `weir.keys` that begin so. */
  keysUnder(prefix: string): string[]
}

/** The wrapped values of `weir.keys` by record key. */
export type KeyStore = {
  get(key: string): Buffer | undefined
  under(prefix: string): Iterable<string>
}

export type Put<Value> = {
  readonly key: string
  readonly value: Value | null
  readonly changeId: string
}

export type Batch = {
  /** Runs one change on the draft. What it put stays, unless it throws. */
  attempt(changeId: string, decide: (draft: Draft) => void): void
  readonly control: readonly Put<ControlRecord>[]
  readonly keys: readonly Put<Buffer>[]
}

export function createBatch(store: RecordStore, keyStore: KeyStore): Batch {
  const records = overlay(store)
  const keys = keyOverlay(keyStore)
  const batch = { control: [] as Put<ControlRecord>[], keys: [] as Put<Buffer>[] }
  return {
    ...batch,
    attempt(changeId, decide) {
      const mine = overlay(records)
      const myKeys = keyOverlay(keys)
      decide({
        ...stateOver(mine),
        put: mine.put,
        putKey: myKeys.put,
        key: myKeys.get,
        keysUnder: (prefix) => [...myKeys.under(prefix)],
      })
      for (const [key, value] of mine.puts) {
        records.put(key, value)
        batch.control.push({ key, value, changeId })
      }
      for (const [key, value] of myKeys.puts) {
        keys.put(key, value)
        batch.keys.push({ key, value, changeId })
      }
    },
  }
}

function keyOverlay(base: KeyStore): KeyStore & {
  put(key: string, value: Buffer | null): void
  readonly puts: ReadonlyMap<string, Buffer | null>
} {
  const puts = new Map<string, Buffer | null>()
  return {
    puts,
    put: (key, value) => void puts.set(key, value),
    get: (key) => {
      const put = puts.get(key)
      return put === undefined ? base.get(key) : (put ?? undefined)
    },
    *under(prefix) {
      for (const key of base.under(prefix)) if (!puts.has(key)) yield key
      for (const [key, value] of puts) if (value !== null && key.startsWith(prefix)) yield key
    },
  }
}
