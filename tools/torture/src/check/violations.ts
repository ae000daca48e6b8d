// The violations that checks find. All are counted, but only SHOWN_MAX of each sort are shown.

export type ViolationSort =
  | 'lost'
  | 'doubled'
  | 'refused-but-stored'
  | 'unknown-record'
  | 'changed'
  | 'not-sealed'
  | 'wrong-key'
  | 'order'
  | 'not-derived'
  | 'derived-twice'
  | 'derived-wrongly'
  | 'decrypted-too-much'
  | 'dead'
  | 'not-counted'
  | 'no-progress'
  | 'not-decrypted'
  | 'destroyed-early'
  | 'erasure-lost'
  | 'token-alive'
  | 'seen-from-outside'

export type Violation = {
  readonly sort: ViolationSort
  readonly where: string
  readonly what: string
}

export type Violations = {
  add(sort: ViolationSort, where: string, what: string): void
  count(): number
  counts(): Readonly<Record<string, number>>
  /** Returns at most SHOWN_MAX violations of each sort. */
  shown(): readonly Violation[]
}

const SHOWN_MAX = 10

export function createViolations(): Violations {
  const bySort = new Map<ViolationSort, number>()
  const shown: Violation[] = []
  return {
    add(sort, where, what) {
      const count = (bySort.get(sort) ?? 0) + 1
      bySort.set(sort, count)
      if (count <= SHOWN_MAX) shown.push({ sort, where, what })
    },
    count: () => [...bySort.values()].reduce((sum, count) => sum + count, 0),
    counts: () => Object.fromEntries(bySort),
    shown: () => shown,
  }
}
