/**
 * Returns how much of a shared limit one party may use: seven eighths of what the other parties leave. So even a party
 * whose whole share is stuck leaves room for the next party.
 */
export const fairShare = (max: number, ofOthers: number): number =>
  Math.max(0, ((max - ofOthers) * 7) / 8)
