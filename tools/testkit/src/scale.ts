// How much of something a test does: all of it in `npm run soak`, and in `npm test` as much as proves the same sentence.

/** `npm run soak` sets it. */
const isFull = process.env['WEIR_TEST_SCALE'] === 'full'

export const scale = <Amount>(full: Amount, quick: Amount): Amount => (isFull ? full : quick)
