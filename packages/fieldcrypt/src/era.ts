// The term, era and epoch of a time, which determine the keys. Ingest computes them from the event's timestamp, and
// output from the same timestamp in the event, so decrypting never has to guess.
import { corrupt } from './errors.ts'

const HOUR_MS = 3_600_000
export const ERA_MS = 32 * 24 * HOUR_MS

/** The number of eras in a term. */
const TERM_ERAS = 12

export const eraAt = (ms: number): number => Math.floor(ms / ERA_MS)
export const eraStartMs = (era: number): number => era * ERA_MS
export const eraEndMs = (era: number): number => eraStartMs(era + 1)

/** The term of an era: 384 days in which people keep their links and their place in the tree. */
export const termOf = (era: number): number => Math.floor(era / TERM_ERAS)
export const erasOfTerm = (term: number): number[] =>
  Array.from({ length: TERM_ERAS }, (_, nth) => term * TERM_ERAS + nth)
export const lastEraOf = (term: number): number => (term + 1) * TERM_ERAS - 1
export const termStartMs = (term: number): number => eraStartMs(term * TERM_ERAS)
export const termEndMs = (term: number): number => termStartMs(term + 1)

/** Divisors of an era in hours, so that each epoch is in exactly one era. */
export const ROTATION_HOURS: readonly number[] = [1, 2, 3, 4, 6, 8, 12, 24]

export type KeyTime = {
  /** 32 days. The labels and the keys of levels are used for this long. */
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
