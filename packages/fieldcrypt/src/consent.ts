// An event's consent, as bytes from which its keys are derived. So a key decrypts only events with the same consent.
// Decryption throws `corrupt` if the consent of a record was changed in Kafka.
import { corrupt } from './errors.ts'

const CONSENT_BYTES = 32
/** A consent with only levels below this number is cached under its bit mask. */
const MASKED_LEVELS = 31
const KNOWN_MAX = 10_000

/** Consents with the same levels are the same object, until a full cache of `KNOWN_MAX` consents is cleared. */
export type Consent = {
  /** Bit L, most significant first, is 1 for each level L of the event's `consentLevels`. */
  readonly bytes: Buffer
}

const known = new Map<number | string, Consent>()

/**
 * Returns the consent with these levels, in any order. Throws `corrupt` for a level that is not an integer from 0 to
 * 255.
 */
export function consentOf(levels: readonly number[]): Consent {
  const name = maskOf(levels) ?? bytesOf(levels).toString('latin1')
  const same = known.get(name)
  if (same !== undefined) return same
  if (known.size >= KNOWN_MAX) known.clear()
  const consent = { bytes: bytesOf(levels) }
  known.set(name, consent)
  return consent
}

function maskOf(levels: readonly number[]): number | undefined {
  let mask = 0
  for (const level of levels) {
    if (!(level >= 0 && level < MASKED_LEVELS && Number.isInteger(level))) return undefined
    mask |= 1 << level
  }
  return mask
}

function bytesOf(levels: readonly number[]): Buffer {
  const bytes = Buffer.alloc(CONSENT_BYTES)
  for (const level of levels) {
    if (!(level >= 0 && level <= 255 && Number.isInteger(level))) throw corrupt()
    bytes[level >> 3] = (bytes[level >> 3] ?? 0) | (0x80 >> (level & 7))
  }
  return bytes
}
