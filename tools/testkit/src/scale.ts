// The scale of a test: full in `npm run soak`. `npm test` uses the smallest scale that still proves what the test's
// name says.

/** True in `npm run soak`. */
const isFull = process.env['WEIR_TEST_SCALE'] === 'full'

export const scale = <Amount>(full: Amount, quick: Amount): Amount => (isFull ? full : quick)

/**
 * Returns a deadline in milliseconds. `npm run soak` has a quiet machine and checks the promised time. `npm test`
 * permits a minute, because the speed of a busy machine says nothing about Weir.
 */
export const within = (promisedMs: number): number => scale(promisedMs, 60_000)

/**
 * Returns the limit of a measured time, CPU time or memory. Only `npm run soak` checks this limit. `npm test` counts
 * steps, bytes and requests instead.
 */
export const measured = (most: number): number => scale(most, Infinity)

/** Registers tests only in `npm run soak`, because they take long, or other tests cover most of their content. */
export function inSoak(tests: () => void): void {
  if (isFull) tests()
}
