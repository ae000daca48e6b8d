// How much of something a test does: all of it in `npm run soak`, and in `npm test` as much as proves the same sentence.

/** `npm run soak` sets it. */
const isFull = process.env['WEIR_TEST_SCALE'] === 'full'

export const scale = <Amount>(full: Amount, quick: Amount): Amount => (isFull ? full : quick)

/**
 * The milliseconds within which something must come. `npm run soak` has a quiet machine and holds Weir to what is promised;
 * in `npm test` it must only come at all, since how fast a busy machine is says nothing of Weir.
 */
export const within = (promisedMs: number): number => scale(promisedMs, 60_000)

/**
 * The most that a measurement of time, processor time or memory may come to. Only `npm run soak` holds Weir to it; in `npm test`
 * steps, bytes and requests are counted instead.
 */
export const measured = (most: number): number => scale(most, Infinity)

/** Tests that only `npm run soak` has: what they add is long, or others hold it too. */
export function inSoak(tests: () => void): void {
  if (isFull) tests()
}
