// Seeded random numbers (mulberry32), so that a run is reproducible.
export type FuzzRandom = {
  /** A whole number from 0 to `end` - 1. */
  below(end: number): number
  one<Item>(items: readonly Item[]): Item | undefined
}

export function createFuzzRandom(seed: number): FuzzRandom {
  let state = seed | 0
  const below = (end: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000) * end)
  }
  return { below, one: (items) => items[below(items.length)] }
}
