// Ids that are also encryption keys. Control state contains only the id's hash, and data that is encrypted under the
// id. So any replica can decrypt the data for a caller with the id, and nobody else can tell whose data it is.
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'

/** An id works only for its purpose. */
export type SecretOf = 'search' | 'subject-access'

const form = /^[A-Za-z0-9_-]{43}$/
const nonceBytes = 12
const tagBytes = 16

/** Returns 256 random bits, base64url. */
export const newSecretId = (): string => randomBytes(32).toString('base64url')

export const isSecretId = (text: string): boolean => form.test(text)

/** Returns the first 16 bytes of SHA-256(id), hexadecimal. */
export const secretHashOf = (id: string): string =>
  createHash('sha256').update(id).digest('hex').slice(0, 32)

const keyOf = (id: string, of: SecretOf): Buffer =>
  createHmac('sha256', id).update(`weir/${of}/1`).digest()

/** Encrypts with AES-256-GCM, AD = the hash of the id. Returns base64url(nonce ‖ ciphertext ‖ tag). */
export function sealUnder(id: string, of: SecretOf, text: string): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', keyOf(id, of), nonce)
  cipher.setAAD(Buffer.from(secretHashOf(id)))
  const sealed = [cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat([nonce, ...sealed]).toString('base64url')
}

/** @throws Error if it was encrypted under another id, or for another purpose */
export function openUnder(id: string, of: SecretOf, sealedText: string): string {
  const sealed = Buffer.from(sealedText, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', keyOf(id, of), sealed.subarray(0, nonceBytes))
  decipher.setAAD(Buffer.from(secretHashOf(id)))
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  const opened = decipher.update(sealed.subarray(nonceBytes, -tagBytes))
  return Buffer.concat([opened, decipher.final()]).toString('utf8')
}
