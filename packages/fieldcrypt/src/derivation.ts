// Derives links, paths, the keys of levels, and keyLinks (docs/keys.md, Derivation).
//
//   link    = first 8 bytes of HMAC-SHA-256(linkKey, uint32be(generation) ‖ utf8(key field value))
//   path    = base 4 digits of link ‖ base 4 digits of the level's byte
//   sivKey  = HMAC-SHA-512(levelKey, leaf ‖ uint32be(epoch) ‖ consent ‖ "weir/siv/2")
//   keyLink = AES-256-ECB(labelKey, link ‖ uint32be(epoch) ‖ four zero bytes)
import { unsafe } from '@noble/ciphers/aes.js'
import type { Consent } from './consent.ts'
import { corrupt, notWellFormed } from './errors.ts'
import { blockOf } from './primitives/aes-siv.ts'
import { encryptor } from './primitives/primitives.ts'
import type { MacKey } from './primitives/types.ts'
import { digitsOf, digitsOfByte } from './tree/digits.ts'

export const LINK_BYTES = 8
/** The number of digits of a link. A whole path also has the four digits of a level. */
export const LINK_DIGITS = 32
export const PATH_DIGITS = 36
const KEY_LINK_BYTES = 16

/** Throws `not_well_formed` for a lone surrogate, because two such values can be equal in UTF-8. */
export function linkOf(linkKey: MacKey, keyFieldValue: string, generation: number): Uint8Array {
  if (!keyFieldValue.isWellFormed()) throw notWellFormed()
  const message = Buffer.alloc(4 + Buffer.byteLength(keyFieldValue))
  message.writeUInt32BE(generation)
  message.write(keyFieldValue, 4, 'utf8')
  return firstBytes(linkKey.mac(message), LINK_BYTES)
}

/** Copies the first bytes. For so few, `subarray` would be slower. */
function firstBytes(bytes: Uint8Array, count: number): Uint8Array {
  const first = new Uint8Array(count)
  for (let i = 0; i < count; i++) first[i] = bytes[i] ?? 0
  return first
}

export const linkDigits = (link: Uint8Array): string => digitsOf(link)

export const levelDigits = (level: number): string => digitsOfByte[level] ?? ''

export const pathOf = (digitsOfLink: string, level: number): string =>
  digitsOfLink + levelDigits(level)

// --- the key of a level ---

const tail = Buffer.alloc(46)
tail.write('weir/siv/2', 36, 'latin1')

/** What an event's keys depend on, besides the person and the levels. */
export type KeyedBy = { readonly epoch: number; readonly consent: Consent }

/** Returns what follows the leaf in the HMAC message of a level's key. The next call overwrites it. */
export function sivTail({ epoch, consent }: KeyedBy): Uint8Array {
  tail.writeUInt32BE(epoch)
  tail.set(consent.bytes, 4)
  return tail
}

// --- AES-256 ---

export type BlockCipher = {
  /** The encrypted zero block, for comparing keys. It reveals nothing else about a key. */
  readonly checkValue: string
  encrypt(block: Uint8Array): Buffer
  decrypt(block: Uint8Array): Buffer
}

/** Encrypts and decrypts single blocks with AES-256-ECB. Expands the key once. */
export function blockCipher(key: Uint8Array): BlockCipher {
  const encrypt = encryptor(key)
  const backward = unsafe.expandKeyDecLE(key)
  return {
    checkValue: encrypt(Buffer.alloc(16)).toString('hex'),
    encrypt,
    decrypt(block) {
      const view = new DataView(block.buffer, block.byteOffset, block.length)
      const word = (at: number): number => view.getInt32(at, true)
      return blockOf(unsafe.decrypt(backward, word(0), word(4), word(8), word(12)))
    },
  }
}

// --- keyLink ---

/** Returns the pseudonym of a person in an epoch. Only the key of `label` can decrypt it. */
export const keyLinkOf = (label: BlockCipher, link: Uint8Array, epoch: number): Buffer =>
  label.encrypt(linkBlock(link, epoch))

function linkBlock(link: Uint8Array, epoch: number): Buffer {
  const block = Buffer.alloc(KEY_LINK_BYTES)
  block.set(link)
  block.writeUInt32BE(epoch, LINK_BYTES)
  return block
}

/** Returns the link in a keyLink. Throws `corrupt` if the keyLink belongs to another label or epoch. */
export function openKeyLink(label: BlockCipher, keyLink: Uint8Array, epoch: number): Uint8Array {
  if (keyLink.length !== KEY_LINK_BYTES) throw corrupt()
  const block = label.decrypt(keyLink)
  const link = firstBytes(block, LINK_BYTES)
  if (!block.equals(linkBlock(link, epoch))) throw corrupt()
  return link
}

/** Returns the keyLink as UUID text, for the record key and for contracts whose field `keyLink` is a string. */
export function keyLinkUuid(keyLink: Buffer): string {
  const text = keyLink.toString('hex')
  const [a, b, c] = [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16)]
  return [a, b, c, text.slice(16, 20), text.slice(20)].join('-')
}

/** Returns a number for contracts whose field `keyLink` is an int. Two people may have the same number. */
export const keyLinkInt = (keyLink: Buffer): number => keyLink.readUInt32BE(0) & 0x7fffffff
