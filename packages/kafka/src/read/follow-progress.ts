// The progress of followed topics, as plain data. Times are wall-clock times, so that the sleep of a machine counts as
// a gap.
const FRESH_FOR_MS = 10_000

export type FollowProgress = {
  /** The next offset to read of each topic. Empty before reading starts, and after records were lost. */
  readonly positions: Map<string, bigint>
  startedOverMs: number
  /** When all topics were last read to their ends. */
  atEndMs: number
}

export const newProgress = (): FollowProgress => ({
  positions: new Map(),
  startedOverMs: 0,
  atEndMs: 0,
})

export const positionIn = ({ positions }: FollowProgress, topic: string): bigint =>
  positions.get(topic) ?? 0n

export const isFresh = ({ atEndMs }: FollowProgress): boolean => Date.now() - atEndMs < FRESH_FOR_MS

/** Returns whether tombstones may have been removed before they were read. */
export const isGapTooLong = (
  { atEndMs, startedOverMs }: FollowProgress,
  deleteRetentionMs: number,
): boolean => Date.now() - Math.max(atEndMs, startedOverMs) > deleteRetentionMs / 2

export function beginAgain(progress: FollowProgress, starts: ReadonlyMap<string, bigint>): void {
  for (const [topic, offset] of starts) progress.positions.set(topic, offset)
  progress.startedOverMs = Date.now()
  progress.atEndMs = 0
}
