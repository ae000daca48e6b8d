// Random choices that depend only on the seed. All decisions of a run use them.
import { seededNumbers } from '@weir/testkit'

export type Random = {
  /** From 0 to 1 (exclusive). */
  next(): number
  /** A whole number from `from` to `to` (inclusive). */
  between(from: number, to: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  /** An independent sequence. Its use doesn't change the numbers of other sequences. */
  fork(): Random
}

export function createRandom(seed: number): Random {
  const next = seededNumbers(seed)
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
