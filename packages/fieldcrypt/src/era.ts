// The era, epoch and slot of a time, which determine its keys. Ingest uses the one reading of its clock that also
// stamps the event, and output uses the event's time, so decrypting never has to guess.
import { corrupt } from './errors.ts'

const HOUR_MS = 3_600_000
export const ERA_MS = 32 * 24 * HOUR_MS

export const eraAt = (ms: number): number => Math.floor(ms / ERA_MS)
export const eraStartMs = (era: number): number => era * ERA_MS
export const eraEndMs = (era: number): number => eraStartMs(era + 1)

/** Divisors of an era in hours, so that no epoch is in two eras. */
export const ROTATION_HOURS: readonly number[] = [1, 2, 3, 4, 6, 8, 12, 24]

export type KeyTime = {
  /** 32 days: how long one set of key records is used. */
  readonly era: number
  /** How long a person keeps one keyLink: the stream's rotation. */
  readonly epoch: number
  /** The epoch's place in its era, below 768. */
  readonly slot: number
}

/** Throws `corrupt` for a timestamp that no clock returns: it can only come from a record. */
export function keyTimeOf(timestampMs: number, rotationMs: number): KeyTime {
  const epoch = Math.floor(timestampMs / rotationMs)
  if (!(timestampMs >= 0) || epoch > 0xffffffff) throw corrupt()
  return { era: eraAt(timestampMs), epoch, slot: epoch % (ERA_MS / rotationMs) }
}
