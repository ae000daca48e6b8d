/**
 * How much of a shared bound one party may use: seven eighths of what the others leave of it. A party that is stuck
 * with its whole share thus leaves room for the next one.
 */
export const fairShare = (max: number, ofOthers: number): number =>
  Math.max(0, ((max - ofOthers) * 7) / 8)
