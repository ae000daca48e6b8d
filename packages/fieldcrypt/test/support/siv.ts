// AES-SIV of bytes in a workspace, as for fields.
import type { Siv } from '../../src/primitives/types.ts'
import { adAt, DATA_AT, SIV_AT } from '../../src/primitives/workspace.ts'

/** Returns the synthetic IV and the ciphertext. */
export function sealBytes(siv: Siv, key: Buffer, ad: Uint8Array, plaintext: Uint8Array): Buffer {
  return withCipher(siv, key, (cipher) => {
    const { length } = plaintext
    const { bytes } = siv.workspaceFor(length + ad.length)
    bytes.set(plaintext, DATA_AT)
    bytes.set(ad, adAt(length))
    siv.seal(cipher, { length, adLength: ad.length })
    return Buffer.from(bytes.subarray(SIV_AT, DATA_AT + length))
  })
}

/** Returns undefined if the bytes are not authentic. */
export function openBytes(siv: Siv, key: Buffer, ad: Uint8Array, sealed: Uint8Array) {
  return withCipher(siv, key, (cipher) => {
    const length = sealed.length - 16
    const { bytes } = siv.workspaceFor(length + ad.length)
    bytes.set(sealed, SIV_AT)
    bytes.set(ad, adAt(length))
    const isAuthentic = siv.open(cipher, { length, adLength: ad.length })
    const data = Buffer.from(bytes.subarray(DATA_AT, DATA_AT + length))
    return isAuthentic ? data : undefined
  })
}

function withCipher<T>(siv: Siv, key: Buffer, use: (cipher: number) => T): T {
  const cipher = siv.add(Buffer.from(key))
  try {
    return use(cipher)
  } finally {
    siv.wipe(cipher)
  }
}
