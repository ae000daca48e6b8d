/**
 * How much one party may have of a bound that several share: seven eighths of what the others leave of it. So a party that is
 * stuck with its whole share still leaves room for the next one.
 */
export const fairShare = (max: number, ofOthers: number): number =>
  Math.max(0, ((max - ofOthers) * 7) / 8)
