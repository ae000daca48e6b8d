// Derivation (docs/keys.md): from a key field value to the link that stands for a person, the path, the key of each
// level, and the keyLink that the event shows. Pure functions of their arguments.
//
//   link    = first 8 bytes of HMAC-SHA-256(linkKey, uint32be(generation) ‖ utf8(key field value))
//   path    = base 4 digits of link ‖ base 4 digits of the level's byte
//   sivKey  = HMAC-SHA-512(levelKey, leaf ‖ uint32be(epoch) ‖ consent ‖ "weir/siv/2")
//   keyLink = AES-256-ECB(labelKey, link ‖ uint32be(epoch) ‖ four zero bytes)
import { unsafe } from '@noble/ciphers/aes.js'
import type { Consent } from './consent.ts'
import { corrupt, notWellFormed } from './errors.ts'
import type { MacKey } from './primitives/types.ts'
import { digitsOf, NODE_BYTES } from './tree/digits.ts'

export const LINK_BYTES = 8
/** Digits of a link, which locates a person in the tree, and of a whole path: link and level. */
export const LINK_DIGITS = 32
export const PATH_DIGITS = 36
const KEY_LINK_BYTES = 16

/** Throws `not_well_formed` for a lone surrogate, because UTF-8 would make two such values equal. */
export function linkOf(linkKey: MacKey, keyFieldValue: string, generation: number): Uint8Array {
  if (!keyFieldValue.isWellFormed()) throw notWellFormed()
  const message = Buffer.alloc(4 + Buffer.byteLength(keyFieldValue))
  message.writeUInt32BE(generation)
  message.write(keyFieldValue, 4, 'utf8')
  return new Uint8Array(linkKey.mac(message).subarray(0, LINK_BYTES))
}

export const linkDigits = (link: Uint8Array): string => digitsOf(link)

export const levelDigits = (level: number): string => digitsOf(Uint8Array.of(level))

export const pathOf = (digitsOfLink: string, level: number): string =>
  digitsOfLink + levelDigits(level)

// --- the key of a level ---

const CONSENT_AT = NODE_BYTES + 4
const LABEL_AT = CONSENT_AT + 32
const sivInput = Buffer.alloc(LABEL_AT + 10)
sivInput.write('weir/siv/2', LABEL_AT, 'latin1')

/** What the keys of an event depend on, besides its person and the levels. */
export type KeyedBy = { readonly epoch: number; readonly consent: Consent }

/** 64 bytes: the key for S2V, then the key for CTR. The caller must overwrite them after use. */
export function sivKeyOf(levelKey: MacKey, leaf: Uint8Array, { epoch, consent }: KeyedBy): Buffer {
  sivInput.set(leaf)
  sivInput.writeUInt32BE(epoch, NODE_BYTES)
  sivInput.set(consent.bytes, CONSENT_AT)
  const key = levelKey.mac(sivInput)
  sivInput.fill(0, 0, NODE_BYTES)
  return key
}

// --- AES-256 of one block, for labels ---

export type BlockCipher = {
  /** The encrypted zero block. It is equal for equal keys, and reveals nothing else about them. */
  readonly checkValue: string
  encrypt(block: Uint8Array): Buffer
  decrypt(block: Uint8Array): Buffer
}

/** AES-256-ECB of single blocks under a key that is expanded once. */
export function blockCipher(key: Uint8Array): BlockCipher {
  const forward = unsafe.expandKeyLE(key)
  const backward = unsafe.expandKeyDecLE(key)
  const apply = (schedule: Uint32Array, cipher: typeof unsafe.encrypt, block: Uint8Array) => {
    const view = new DataView(block.buffer, block.byteOffset, block.byteLength)
    const word = (at: number): number => view.getInt32(at, true)
    const { s0, s1, s2, s3 } = cipher(schedule, word(0), word(4), word(8), word(12))
    const out = Buffer.alloc(16)
    for (const [i, value] of [s0, s1, s2, s3].entries()) out.writeInt32LE(value | 0, i * 4)
    return out
  }
  const encrypted = (block: Uint8Array) => apply(forward, unsafe.encrypt, block)
  return {
    checkValue: encrypted(Buffer.alloc(16)).toString('hex'),
    encrypt: encrypted,
    decrypt: (block) => apply(backward, unsafe.decrypt, block),
  }
}

// --- keyLink ---

function keyLinkTail(epoch: number): Buffer {
  const tail = Buffer.alloc(8)
  tail.writeUInt32BE(epoch)
  return tail
}

/** A pseudonym for one person and epoch that only a holder of `label` can reverse. */
export const keyLinkOf = (label: BlockCipher, link: Uint8Array, epoch: number): Buffer =>
  label.encrypt(Buffer.concat([link, keyLinkTail(epoch)]))

/** Throws `corrupt` if the keyLink isn't one of this epoch. */
export function openKeyLink(label: BlockCipher, keyLink: Uint8Array, epoch: number): Uint8Array {
  if (keyLink.length !== KEY_LINK_BYTES) throw corrupt()
  const block = label.decrypt(keyLink)
  if (!block.subarray(LINK_BYTES).equals(keyLinkTail(epoch))) throw corrupt()
  return new Uint8Array(block.subarray(0, LINK_BYTES))
}

/** The form of a keyLink in the record key, and in contracts where it is a string. */
export function keyLinkUuid(keyLink: Buffer): string {
  const text = keyLink.toString('hex')
  const groups = [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20)]
  return `${groups.join('-')}-${text.slice(20)}`
}

/** The form in contracts where it is an int: a label that may collide. */
export const keyLinkInt = (keyLink: Buffer): number => keyLink.readUInt32BE(0) & 0x7fffffff
