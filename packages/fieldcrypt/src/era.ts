// The era, epoch and slot of a moment: which keys belong to it. Ingest takes it from the one reading of its clock that also
// stamps the event, output from the record's timestamp, so opening never has to guess.
import { corrupt } from './errors.ts'

const HOUR_MS = 3_600_000
export const ERA_MS = 32 * 24 * HOUR_MS

export const eraAt = (ms: number): number => Math.floor(ms / ERA_MS)
export const eraStartMs = (era: number): number => era * ERA_MS
export const eraEndMs = (era: number): number => eraStartMs(era + 1)

/** Divisors of an era in hours, so that no epoch lies in two eras. */
export const ROTATION_HOURS: readonly number[] = [1, 2, 3, 4, 6, 8, 12, 24]

export type KeyTime = {
  /** 32 days: how long one set of parts is used. */
  readonly era: number
  /** How long a person keeps one keyLink: the stream's rotation. */
  readonly epoch: number
  /** The epoch's place in its era, below 768. */
  readonly slot: number
}

/** Throws `corrupt` for a timestamp that no clock gives: it can only come from a record. */
export function keyTimeOf(timestampMs: number, rotationMs: number): KeyTime {
  const epoch = Math.floor(timestampMs / rotationMs)
  if (!(timestampMs >= 0) || epoch > 0xffffffff) throw corrupt()
  return { era: eraAt(timestampMs), epoch, slot: epoch % (ERA_MS / rotationMs) }
}
