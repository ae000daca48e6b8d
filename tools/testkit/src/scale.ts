// The size of a test: full in `npm run soak`. In `npm test` it is the smallest that still proves what the test's name
// says.

/** `npm run soak` sets it. */
const isFull = process.env['WEIR_TEST_SCALE'] === 'full'

export const scale = <Amount>(full: Amount, quick: Amount): Amount => (isFull ? full : quick)

/**
 * The milliseconds within which something must happen. `npm run soak` has a quiet machine and checks Weir's promise. In
 * `npm test` the event must only happen at all, because the speed of a busy machine says nothing about Weir.
 */
export const within = (promisedMs: number): number => scale(promisedMs, 60_000)

/**
 * The limit of a measured time, processor time or memory. Only `npm run soak` checks it. `npm test` counts steps, bytes
 * and requests instead.
 */
export const measured = (most: number): number => scale(most, Infinity)

/** Tests that only `npm run soak` runs, because they take long, or other tests cover most of their content. */
export function inSoak(tests: () => void): void {
  if (isFull) tests()
}
