// The id of a search is its key, too: control state has a hash of it, and the value sealed under it. So whoever started a search can
// have its person erased within the hour, by whatever replica, and nobody else can tell who it was.
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'

const form = /^[A-Za-z0-9_-]{43}$/
const nonceBytes = 12
const tagBytes = 16

/** 256 random bits, base64url. */
export const newSearchId = (): string => randomBytes(32).toString('base64url')

export const isSearchId = (text: string): boolean => form.test(text)

/** The first 16 bytes of SHA-256, hexadecimal. */
export const searchHashOf = (searchId: string): string =>
  createHash('sha256').update(searchId).digest('hex').slice(0, 32)

const keyOf = (searchId: string): Buffer =>
  createHmac('sha256', searchId).update('weir/search/1').digest()

/** base64url(nonce ‖ ciphertext ‖ tag), AES-256-GCM, AD = the hash. */
export function sealValue(searchId: string, value: string): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', keyOf(searchId), nonce)
  cipher.setAAD(Buffer.from(searchHashOf(searchId)))
  const sealed = [cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat([nonce, ...sealed]).toString('base64url')
}

/** @throws Error where it was sealed under another id */
export function openValue(searchId: string, sealedValue: string): string {
  const sealed = Buffer.from(sealedValue, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', keyOf(searchId), sealed.subarray(0, nonceBytes))
  decipher.setAAD(Buffer.from(searchHashOf(searchId)))
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  const opened = decipher.update(sealed.subarray(nonceBytes, -tagBytes))
  return Buffer.concat([opened, decipher.final()]).toString('utf8')
}
