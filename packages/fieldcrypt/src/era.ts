// The era and epoch of a time, which determine the keys. Ingest computes them from the event's timestamp, and
// output from the same timestamp in the event, so decrypting never has to guess.
import { corrupt } from './errors.ts'

const HOUR_MS = 3_600_000
export const ERA_MS = 32 * 24 * HOUR_MS

export const eraAt = (ms: number): number => Math.floor(ms / ERA_MS)
export const eraStartMs = (era: number): number => era * ERA_MS
export const eraEndMs = (era: number): number => eraStartMs(era + 1)

/** Divisors of an era in hours, so that each epoch is in exactly one era. */
export const ROTATION_HOURS: readonly number[] = [1, 2, 3, 4, 6, 8, 12, 24]

export type KeyTime = {
  /** 32 days. One set of key records is used for this long. */
  readonly era: number
  /** A person has the same keyLink for this long: the stream's rotation. */
  readonly epoch: number
}

/** Throws `corrupt` for a timestamp that no clock returns, because it can only come from an invalid record. */
export function keyTimeOf(timestampMs: number, rotationMs: number): KeyTime {
  const epoch = Math.floor(timestampMs / rotationMs)
  if (!(timestampMs >= 0) || epoch > 0xffffffff) throw corrupt()
  return { era: eraAt(timestampMs), epoch }
}
