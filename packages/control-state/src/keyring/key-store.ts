// Stores the wrapped records of `weir.keys` by record key, without decrypting them. Also creates the draft of a change
// over these records.

export type KeyStore = {
  get(key: string): Buffer | undefined
  under(prefix: string): Iterable<string>
  keys(): Iterable<string>
  /** The size of the values of one stream, or of all values. */
  bytes(stream?: { readonly billingId: string; readonly streamId: string }): number
}

export function createKeyStore(): KeyStore & {
  put(key: string, value: Buffer | null): void
  clear(): void
} {
  const buckets = new Map<string, Map<string, Buffer>>()
  const sizes = countBytes()
  return {
    bytes: (stream) => sizes.of(stream && bucketOf(`${stream.billingId}/${stream.streamId}/`)),
    get: (key) => buckets.get(bucketOf(key))?.get(key),
    *under(prefix) {
      for (const key of buckets.get(bucketOf(prefix))?.keys() ?? [])
        if (key.startsWith(prefix)) yield key
    },
    *keys() {
      for (const records of buckets.values()) yield* records.keys()
    },
    put(key, value) {
      const name = bucketOf(key)
      const records = buckets.get(name) ?? new Map<string, Buffer>()
      sizes.add(name, (value?.length ?? 0) - (records.get(key)?.length ?? 0))
      if (value === null) records.delete(key)
      else records.set(key, value)
      if (records.size === 0) buckets.delete(name)
      else buckets.set(name, records)
    },
    clear() {
      buckets.clear()
      sizes.clear()
    },
  }
}

function countBytes() {
  const sizes = new Map<string, number>()
  let all = 0
  return {
    of: (bucket: string | undefined): number =>
      bucket === undefined ? all : (sizes.get(bucket) ?? 0),
    add(bucket: string, more: number): void {
      all += more
      const sum = (sizes.get(bucket) ?? 0) + more
      if (sum === 0) sizes.delete(bucket)
      else sizes.set(bucket, sum)
    },
    clear(): void {
      sizes.clear()
      all = 0
    },
  }
}

/** Groups keys by stream (`<billingId>/<streamId>/`), and all other keys by kind (`_ring/`). */
function bucketOf(key: string): string {
  const first = key.indexOf('/') + 1
  return key.slice(0, key.startsWith('_') ? first : key.indexOf('/', first) + 1)
}

/** The records without the puts of a change. */
export type KeysBelow = Omit<KeyStore, 'bytes'>

/** The records of `weir.keys` as a change sees them, with its own puts. */
export type KeyDraft = {
  get(key: string): Buffer | undefined
  under(prefix: string): string[]
  keys(): Iterable<string>
  /** Wrapped bytes, or null for a tombstone. */
  put(key: string, value: Buffer | null): void
  /** Whether this change, or an earlier change of the batch, put a record under the prefix. */
  isChanged(prefix: string): boolean
}

export function overlayKeys(
  base: KeysBelow,
  isChangedBelow: KeyDraft['isChanged'] = () => false,
): KeyDraft & { readonly puts: ReadonlyMap<string, Buffer | null> } {
  const puts = new Map<string, Buffer | null>()
  function* laidOver(below: Iterable<string>, prefix: string): Generator<string> {
    for (const key of below) if (!puts.has(key)) yield key
    for (const [key, value] of puts) if (value !== null && key.startsWith(prefix)) yield key
  }
  return {
    puts,
    put: (key, value) => void puts.set(key, value),
    isChanged: (prefix) =>
      isChangedBelow(prefix) || [...puts.keys()].some((key) => key.startsWith(prefix)),
    get: (key) => {
      const put = puts.get(key)
      return put === undefined ? base.get(key) : (put ?? undefined)
    },
    under: (prefix) => [...laidOver(base.under(prefix), prefix)],
    keys: () => laidOver(base.keys(), ''),
  }
}
