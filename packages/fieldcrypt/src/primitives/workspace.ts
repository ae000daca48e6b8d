// The memory in which a field is encrypted or decrypted. Its layout makes the bytes of the encrypted text contiguous,
// and aligns data and associated data to AES blocks:
//
//   0        11        12           16     32                                   adAt
//   | unused | version | keyLink id | siv  | data, in place | room for padding | associated data | room for padding |
export const VERSION_AT = 11
export const ID_AT = 12
export const SIV_AT = 16
export const DATA_AT = 32
const BLOCK_BYTES = 16

/** Returns the offset of the associated data. */
export const adAt = (length: number): number =>
  DATA_AT + (Math.floor(length / BLOCK_BYTES) + 1) * BLOCK_BYTES

/** Returns the size of a workspace for this many bytes of data and associated data together. */
export const workspaceBytes = (bytes: number): number => DATA_AT + bytes + 2 * BLOCK_BYTES

/** Returns the maximum length of a string in UTF-8: three bytes per UTF-16 unit. */
export const utf8BytesMax = (text: string): number => text.length * 3
