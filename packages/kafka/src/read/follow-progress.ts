// How far topics are followed, and since when: plain data, and what follows from it. Times are the wall clock's: a machine
// that slept has a gap too.
import type { Logs } from './ask-topics.ts'

const FRESH_FOR_MS = 10_000

export type Progress = {
  /** The next offset to be read of each topic; empty before the first reader. */
  readonly positions: Map<string, bigint>
  startedOverMs: number
  /** When everything was read to its end. */
  atEndMs: number
  movedMs: number
}

export const newProgress = (): Progress => ({
  positions: new Map(),
  startedOverMs: 0,
  atEndMs: 0,
  movedMs: 0,
})

export const positionIn = ({ positions }: Progress, topic: string): bigint =>
  positions.get(topic) ?? 0n

export const isFresh = ({ atEndMs }: Progress): boolean => Date.now() - atEndMs < FRESH_FOR_MS

/** A reader that neither ends nor gets on. */
export const isStuck = (progress: Progress): boolean =>
  !isFresh(progress) && Date.now() - progress.movedMs >= FRESH_FOR_MS

/** Tombstones may be gone that were never read. */
export const isGapTooLong = (
  { atEndMs, startedOverMs }: Progress,
  deleteRetentionMs: number,
): boolean => Date.now() - Math.max(atEndMs, startedOverMs) > deleteRetentionMs / 2

/** Whether a position lies where no log is, or no more. */
export const isOutside = (progress: Progress, { earliest, end }: Logs): boolean =>
  [...earliest].some(([topic, first]) => {
    const position = positionIn(progress, topic)
    return position < first || position > (end.get(topic) ?? 0n)
  })

export function startOver(progress: Progress, { earliest }: Logs): void {
  for (const [topic, offset] of earliest) progress.positions.set(topic, offset)
  progress.startedOverMs = Date.now()
  progress.atEndMs = 0
}
