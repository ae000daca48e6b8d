// The text of an encrypted field in an event. Only canonical base64 is accepted, so the same bytes have only one text.
//
//   text    = base64(bytes)                            ; standard alphabet, padded
//   bytes   = %x01 id siv ciphertext
//   id      = 4OCTET                                   ; the first four of the keyLink
//   siv     = 16OCTET
//   ciphertext = *OCTET                                ; as long as the value's UTF-8
import { isUtf8 } from 'node:buffer'
import { corrupt, notWellFormed } from './errors.ts'
import { siv } from './primitives/primitives.ts'
import type { Workspace } from './primitives/types.ts'
import { adAt, DATA_AT, ID_AT, utf8BytesMax, VERSION_AT } from './primitives/workspace.ts'

const VERSION = 0x01

/** The first four bytes of a keyLink as one number. */
export const idOf = (keyLink: Buffer): number => keyLink.readUInt32BE(0)

/** What the text of a person's field depends on, besides the value. `cipher` is a number of `Siv`. */
export type TextOf = { readonly cipher: number; readonly path: string; readonly id: number }

/** Returns the text of a value. Throws `not_well_formed` for a lone surrogate. */
export function sealText({ cipher, path, id }: TextOf, value: string): string {
  if (!value.isWellFormed()) throw notWellFormed()
  const { bytes, view } = siv.workspaceFor(utf8BytesMax(value) + utf8BytesMax(path))
  const length = bytes.write(value, DATA_AT, 'utf8')
  siv.seal(cipher, { length, adLength: bytes.write(path, adAt(length), 'utf8') })
  bytes[VERSION_AT] = VERSION
  view.setUint32(ID_AT, id)
  return bytes.toString('base64', VERSION_AT, DATA_AT + length)
}

/** Returns the value of a text. Throws `corrupt` for any invalid text. */
export function openText({ cipher, path, id }: TextOf, text: string): string {
  const { workspace, length } = decode(id, text, utf8BytesMax(path))
  const { bytes } = workspace
  const adLength = bytes.write(path, adAt(length), 'utf8')
  if (!siv.open(cipher, { length, adLength })) throw corrupt()
  const end = DATA_AT + length
  const value = bytes.toString('utf8', DATA_AT, end)
  // U+FFFD replaces bytes that aren't UTF-8, but may also be in the value.
  const wellFormed = !value.includes('\uFFFD') || isUtf8(bytes.subarray(DATA_AT, end))
  bytes.fill(0, DATA_AT, end)
  if (!wellFormed) throw corrupt()
  return value
}

/** Checks everything in a text that needs no key. Throws `corrupt`. */
export const checkForm = (id: number, text: string): void => void decode(id, text)

function decode(id: number, text: string, adBytes = 0): { workspace: Workspace; length: number } {
  const workspace = siv.workspaceFor(text.length + adBytes)
  const { bytes, view } = workspace
  const end = VERSION_AT + bytes.write(text, VERSION_AT, 'base64')
  const canonical =
    end >= DATA_AT &&
    bytes[VERSION_AT] === VERSION &&
    view.getUint32(ID_AT) === id &&
    bytes.toString('base64', VERSION_AT, end) === text
  if (!canonical) throw corrupt()
  return { workspace, length: end - DATA_AT }
}
