// AES-256-GCM in the format of stored key records and wrapping keys: nonce ‖ ciphertext ‖ tag, with the record key as
// associated data. Nonces are random (random.ts), and must not repeat under a key.
import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'
import { GCM_NONCE_BYTES } from './random.ts'

const ALGORITHM = 'aes-256-gcm'
const TAG_BYTES = 16

export function gcmSeal(
  key: KeyObject,
  recordKey: string,
  plain: Uint8Array,
  nonce: Uint8Array,
): Buffer {
  if (nonce.length !== GCM_NONCE_BYTES) throw new RangeError('a GCM nonce has 12 bytes')
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(recordKey, 'utf8'))
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Returns undefined if the value isn't authentic. */
export function gcmOpen(key: KeyObject, recordKey: string, value: Buffer): Buffer | undefined {
  if (value.length < GCM_NONCE_BYTES + TAG_BYTES) return undefined
  const tagAt = value.length - TAG_BYTES
  const nonce = value.subarray(0, GCM_NONCE_BYTES)
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(recordKey, 'utf8')).setAuthTag(value.subarray(tagAt))
  const plain = decipher.update(value.subarray(GCM_NONCE_BYTES, tagAt))
  try {
    decipher.final() // checks the tag, and returns no bytes: `update` has returned them all
    return plain
  } catch {
    plain.fill(0)
    return undefined
  }
}
