// Caches verified tokens. Its keys are Authorization headers, in one spelling. The cache is bounded in bytes, because a
// token may be as long as a header. The oldest entries are removed first.

export type TokenCache<Known> = {
  get(token: string): Known | undefined
  set(token: string, known: Known): void
  delete(token: string): void
}

const bytesMaxDefault = 16 * 1_048_576
/** The estimated size of an entry without its key. */
const entryBytes = 1_024

export function createTokenCache<Known>(bytesMax = bytesMaxDefault): TokenCache<Known> {
  const entries = new Map<string, Known>()
  let bytes = 0
  const bytesOf = (token: string): number => token.length + entryBytes
  const drop = (token: string): void => {
    if (entries.delete(token)) bytes -= bytesOf(token)
  }
  return {
    get: (token) => entries.get(token),
    set(token, known) {
      drop(token)
      // A copy: a slice of a header keeps the whole header in memory.
      entries.set(Buffer.from(token, 'latin1').toString('latin1'), known)
      bytes += bytesOf(token)
      for (const oldest of entries.keys()) {
        if (bytes <= bytesMax) break
        drop(oldest)
      }
    },
    delete: drop,
  }
}
