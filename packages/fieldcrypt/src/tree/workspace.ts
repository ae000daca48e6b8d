// The memory in which a field is encrypted or decrypted. Its layout makes the bytes of the encrypted text contiguous,
// and aligns the ciphertext with a block:
//
//   0        11        12           16     32
//   | unused | version | keyLink id | siv  | plaintext, in place ciphertext | room for padding |
//
// Encryption and decryption are synchronous, so one workspace is enough. A long value gets its own.

export type Workspace = { readonly bytes: Buffer; readonly view: DataView }

export const VERSION_AT = 11
export const ID_AT = 12
export const SIV_AT = 16
export const DATA_AT = 32
const BLOCK_BYTES = 16
const SHARED_BYTES = 16_384

function allocate(sizeBytes: number): Workspace {
  // Not from Node's pool, so that other buffers don't share this memory.
  const bytes = Buffer.alloc(sizeBytes)
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, sizeBytes) }
}

const shared = allocate(SHARED_BYTES)

/** A workspace for data of up to `dataBytes`, valid until the next call. */
export function workspaceFor(dataBytes: number): Workspace {
  const sizeBytes = DATA_AT + dataBytes + BLOCK_BYTES
  return sizeBytes <= SHARED_BYTES ? shared : allocate(sizeBytes)
}

/** The maximum length of a string's UTF-8: three bytes per UTF-16 unit. */
export const utf8BytesMax = (text: string): number => text.length * 3
