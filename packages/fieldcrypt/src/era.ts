// Computes the term, era and epoch of a time, which determine the keys. Ingest and output both use the timestamp of the
// input record, so they use the same keys.
import { corrupt } from './errors.ts'

const HOUR_MS = 3_600_000
export const ERA_MS = 32 * 24 * HOUR_MS

const TERM_ERAS = 12

export const eraAt = (ms: number): number => Math.floor(ms / ERA_MS)
export const eraStartMs = (era: number): number => era * ERA_MS
export const eraEndMs = (era: number): number => eraStartMs(era + 1)

/** Returns the term of an era: 384 days in which people keep their links, and a stream keeps its tree. */
export const termOf = (era: number): number => Math.floor(era / TERM_ERAS)
export const erasOfTerm = (term: number): number[] =>
  Array.from({ length: TERM_ERAS }, (_, nth) => term * TERM_ERAS + nth)
export const lastEraOf = (term: number): number => (term + 1) * TERM_ERAS - 1
export const termStartMs = (term: number): number => eraStartMs(term * TERM_ERAS)
export const termEndMs = (term: number): number => termStartMs(term + 1)

/** The permitted lengths of an epoch. Each divides an era, so that each epoch is in exactly one era. */
export const ROTATION_HOURS: readonly number[] = [1, 2, 3, 4, 6, 8, 12, 24]

export type KeyTime = {
  /** The number of a period of 32 days with its own label and level keys. */
  readonly era: number
  /** The number of a rotation period, in which a person has the same keyLink. */
  readonly epoch: number
}

/** Throws `corrupt` if the timestamp is negative or not a number, or the epoch exceeds 32 bits. */
export function keyTimeOf(timestampMs: number, rotationMs: number): KeyTime {
  const epoch = Math.floor(timestampMs / rotationMs)
  if (!(timestampMs >= 0) || epoch > 0xffffffff) throw corrupt()
  return { era: eraAt(timestampMs), epoch }
}
