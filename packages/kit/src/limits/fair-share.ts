/**
 * How much one party may have of a bound that several share: seven eighths of what the others leave of it. So one that gets stuck
 * with all it may have leaves room for the next, however many are stuck.
 */
export const fairShare = (max: number, ofOthers: number): number =>
  Math.max(0, ((max - ofOthers) * 7) / 8)
