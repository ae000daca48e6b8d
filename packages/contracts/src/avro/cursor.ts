// Reads the bytes of one Avro datum and checks every step. No function here reads past the end or rounds a number.
// Memory for a count or a length is allocated only if so many bytes are left.
//
//   long   = 1*10 OCTET                   ; zigzag, 7 bits per octet, least significant first;
//                                         ; the high bit says that another octet follows
//   bytes  = long *OCTET                  ; the length, then as many octets; string: the same, UTF-8
import { isUtf8 } from 'node:buffer'

import { Unreadable } from '../unreadable.ts'

export type Cursor = { readonly bytes: Buffer; at: number; readonly end: number }

const endsEarly = 'ends too early'
const intMax = 2_147_483_647

function readByte(cursor: Cursor): number {
  const byte = cursor.bytes[cursor.at]
  if (byte === undefined) throw new Unreadable(endsEarly)
  cursor.at += 1
  return byte
}

export function readLong(cursor: Cursor): number {
  const first = readByte(cursor)
  if (first < 0x80) return (first >>> 1) ^ -(first & 1)
  // the sign and 6 bits, then 7 bits per octet; added, because bit operations are limited to 32 bits
  let half = (first & 0x7f) >>> 1
  let factor = 64
  for (let octet = 2; ; octet += 1) {
    const byte = readByte(cursor)
    if (octet === 10 && byte > 1) throw new Unreadable('is a number of more than 64 bits')
    half += (byte & 0x7f) * factor
    factor *= 128
    if (byte < 0x80) break
  }
  const value = first & 1 ? -half - 1 : half
  if (!Number.isSafeInteger(value)) throw new Unreadable('is not a long within ±(2^53 - 1)')
  return value
}

export function readInt(cursor: Cursor): number {
  const value = readLong(cursor)
  if (value > intMax || value < ~intMax) throw new Unreadable('is not an int')
  return value
}

export function readBoolean(cursor: Cursor): boolean {
  const byte = readByte(cursor)
  if (byte > 1) throw new Unreadable('is not a boolean')
  return byte === 1
}

/** Moves the cursor forward by this many octets. Returns its old position. */
export function skip(cursor: Cursor, length: number): number {
  const start = cursor.at
  if (length > cursor.end - start) throw new Unreadable(endsEarly)
  cursor.at = start + length
  return start
}

export function readLength(cursor: Cursor): number {
  const length = readLong(cursor)
  if (length < 0) throw new Unreadable('has a negative length')
  return length
}

export function readString(cursor: Cursor): string {
  const length = readLength(cursor)
  const start = skip(cursor, length)
  const text = cursor.bytes.toString('utf8', start, cursor.at)
  // Decoding puts U+FFFD where the octets aren't UTF-8. Text without U+FFFD needs no second check.
  if (text.includes('\uFFFD') && !isUtf8(cursor.bytes.subarray(start, cursor.at))) {
    throw new Unreadable('is not valid UTF-8')
  }
  return text
}

/** Returns a copy, because an event lives longer than the request body. */
export function readOctets(cursor: Cursor, length: number): Buffer {
  const start = skip(cursor, length)
  return Buffer.from(cursor.bytes.subarray(start, cursor.at))
}

/** Moves the cursor past a string of this many octets, and checks that they are UTF-8. */
export function passText(cursor: Cursor, length: number): void {
  const start = skip(cursor, length)
  const { bytes, at: end } = cursor
  // up to about this length a loop is faster than a call into native code
  if (length > 128) return requireUtf8(bytes, start, end)
  for (let at = start; at < end; at += 1)
    if ((bytes[at] ?? 0) > 0x7f) return requireUtf8(bytes, start, end)
}

function requireUtf8(bytes: Buffer, start: number, end: number): void {
  if (!isUtf8(bytes.subarray(start, end))) throw new Unreadable('is not valid UTF-8')
}
