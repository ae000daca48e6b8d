/**
 * The part of a shared limit that one party may use: seven eighths of what the others leave. So a party whose whole
 * share is stuck leaves room for the next one.
 */
export const fairShare = (max: number, ofOthers: number): number =>
  Math.max(0, ((max - ofOthers) * 7) / 8)
