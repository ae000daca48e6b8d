// The size of a test: full in `npm run soak`; in `npm test` as much as proves the same sentence.

/** `npm run soak` sets it. */
const isFull = process.env['WEIR_TEST_SCALE'] === 'full'

export const scale = <Amount>(full: Amount, quick: Amount): Amount => (isFull ? full : quick)

/**
 * The milliseconds within which something must happen. `npm run soak` has a quiet machine and checks Weir's promise; in
 * `npm test` it must only happen at all, because a busy machine's speed says nothing of Weir.
 */
export const within = (promisedMs: number): number => scale(promisedMs, 60_000)

/**
 * The limit of a measured time, processor time or memory. Only `npm run soak` checks it; `npm test` counts steps, bytes
 * and requests instead.
 */
export const measured = (most: number): number => scale(most, Infinity)

/** Tests that only `npm run soak` runs, because they are long, or other tests cover most of it. */
export function inSoak(tests: () => void): void {
  if (isFull) tests()
}
