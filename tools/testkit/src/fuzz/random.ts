// Seeded random numbers, so that a run is reproducible.
import { seededNumbers } from '../random.ts'

export type FuzzRandom = {
  /** Returns a whole number from 0 to `end` - 1. */
  below(end: number): number
  one<Item>(items: readonly Item[]): Item | undefined
}

export function createFuzzRandom(seed: number): FuzzRandom {
  const next = seededNumbers(seed)
  const below = (end: number): number => Math.floor(next() * end)
  return { below, one: (items) => items[below(items.length)] }
}
