/** Finds out whether one party's long work would delay other parties. */
export type Others = {
  /** Call when a party was served. */
  served(party: string): void
  /** Whether another party was served within the last second. */
  areBeside(party: string): boolean
}

const lateMs = 1_000

export function createOthers(nowMs = () => performance.now()): Others {
  type Served = { readonly party: string; atMs: number }
  // The last two parties are enough, because at least one of them is another party.
  let last: Served | undefined
  let before: Served | undefined
  return {
    served(party) {
      if (last?.party !== party) {
        before = last
        last = { party, atMs: 0 }
      }
      last.atMs = nowMs()
    },
    areBeside(party) {
      const other = last?.party === party ? before : last
      return other !== undefined && nowMs() - other.atMs < lateMs
    },
  }
}
