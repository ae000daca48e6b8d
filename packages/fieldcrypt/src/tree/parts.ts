// Key records at rest: their names, the wrapping key of each, and the wrapping. A value in the key topic is bound to
// its record key, so it can't be used under another record key.
//
//   value = %x01 key-version nonce ciphertext tag     ; AES-256-GCM, AD = the record key as UTF-8
//   key-version = 4OCTET                              ; big-endian
//   nonce = 12OCTET
//   tag   = 16OCTET
import type { KeyObject } from 'node:crypto'
import { recordUnreadable } from '../errors.ts'
import { gcmOpen, gcmSeal } from '../gcm.ts'
import { randomNonce } from '../random.ts'
import { isWithdrawnPart } from '../withdrawn.ts'

export const KEY_BYTES = 32
/** linkKey, subjectKeyA, subjectKeyB. */
export const LINK_PART_BYTES = 3 * KEY_BYTES

// --- names ---

export const levelPart = (level: number): string => `level.${level}`

/** `''` stands for the whole tree. */
export const treePart = (suffix: string): string => (suffix === '' ? 'tree' : `tree.${suffix}`)

/** Returns the suffix of a tree's key record; undefined for other records. */
export const suffixOfPart = (part: string): string | undefined =>
  /^tree(?:\.([0-3]+))?$/
    .exec(part)
    ?.slice(1)
    .map((suffix) => suffix ?? '')[0]

/** Returns the level of a level's key record; undefined for other records. */
export function levelOfPart(part: string): number | undefined {
  const digits = /^level\.(0|[1-9][0-9]{0,2})$/.exec(part)?.[1]
  return digits === undefined || Number(digits) > 255 ? undefined : Number(digits)
}

/** Returns the name of the wrapping key of a key record. Anyone who has this key can read the record. */
export function keyNameOfPart(part: string): string {
  if (part === 'link' || levelOfPart(part) !== undefined) return part
  if (part === 'label' || suffixOfPart(part) !== undefined || isWithdrawnPart(part)) return 'open'
  throw recordUnreadable(`key record ${part}`)
}

/** The wrapping key for the private keys of tokens and receipts. */
export const SIGN_KEY_NAME = 'sign'

// --- wrapping ---

const FORMAT = 0x01
const NONCE_AT = 5

/** Throws `record_unreadable` unless the plaintext has the right size. */
export function checkedKey(plain: Buffer, sizeBytes: number, part: string): Buffer {
  if (plain.length !== sizeBytes) throw recordUnreadable(`key record ${part}`)
  return plain
}

/** The wrapping key is a random AES-256 key; the value contains its version. */
export function wrapPart(part: {
  readonly keyVersion: number
  readonly wrappingKey: KeyObject
  readonly recordKey: string
  readonly plain: Uint8Array
  /** 12 bytes, which must never repeat under a wrapping key. Random by default. */
  readonly nonce?: Buffer
}): Buffer {
  const header = Buffer.alloc(NONCE_AT)
  header.writeUInt8(FORMAT, 0)
  header.writeUInt32BE(part.keyVersion, 1)
  const { wrappingKey, recordKey, plain, nonce = randomNonce() } = part
  return Buffer.concat([header, gcmSeal(wrappingKey, recordKey, plain, nonce)])
}

/** Returns the version of the wrapping key that a key record needs. Throws `record_unreadable`. */
export function keyVersionOf(value: Buffer): number {
  if (value.length < NONCE_AT || value[0] !== FORMAT) throw recordUnreadable('a wrapped key record')
  return value.readUInt32BE(1)
}

/** Throws `record_unreadable` for another wrapping key, another record key, or a changed value. */
export function unwrapPart(part: {
  readonly wrappingKey: KeyObject
  readonly recordKey: string
  readonly value: Buffer
}): Buffer {
  const { wrappingKey, recordKey, value } = part
  const isPart = value.length >= NONCE_AT && value[0] === FORMAT
  const plain = isPart ? gcmOpen(wrappingKey, recordKey, value.subarray(NONCE_AT)) : undefined
  if (plain === undefined) throw recordUnreadable(`record ${recordKey}`)
  return plain
}
