// Random choices that depend only on the seed. All decisions of a run use them.

export type Random = {
  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number
  /** A whole number from `from` to `to`, both inclusive. */
  between(from: number, to: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  /** An independent sequence. Its use doesn't change the numbers of other sequences. */
  fork(): Random
}

/** mulberry32 */
export function createRandom(seed: number): Random {
  let state = seed | 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1))
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick(items) {
      const [picked] = items.slice(between(0, items.length - 1))
      if (picked === undefined) throw new TypeError('nothing to pick from')
      return picked
    },
    fork: () => createRandom(Math.floor(next() * 2 ** 32)),
  }
}

export const shuffle = <T>({ next }: Pick<Random, 'next'>, items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, at: next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
