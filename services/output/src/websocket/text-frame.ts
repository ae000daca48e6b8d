// Writes messages as WebSocket frames (RFC 6455 5.2). All clients share the frames, because a server's frames aren't
// masked.

// frame  = %x81 length payload                       ; FIN, text, not masked
// length = OCTET                                     ; 0 to 125
//        / %x7E 2OCTET                               ; to 65,535, big-endian
//        / %x7F 8OCTET
const TEXT = 0x81
const LENGTH_16 = 126
const LENGTH_64 = 127
const HEAD_BYTES_MAX = 10

/** Returns the concatenated frames of these text messages. */
export function textFrames(texts: readonly Buffer[]): Buffer {
  const bytesMax = texts.reduce((sum, text) => sum + HEAD_BYTES_MAX + text.length, 0)
  const bytes = Buffer.allocUnsafe(bytesMax)
  let at = 0
  for (const text of texts) {
    at = writeHead(bytes, at, text.length)
    at += text.copy(bytes, at)
  }
  return bytes.subarray(0, at)
}

function writeHead(bytes: Buffer, at: number, length: number): number {
  bytes[at] = TEXT
  if (length < LENGTH_16) return bytes.writeUInt8(length, at + 1)
  if (length <= 0xffff) {
    bytes[at + 1] = LENGTH_16
    return bytes.writeUInt16BE(length, at + 2)
  }
  bytes[at + 1] = LENGTH_64
  return bytes.writeBigUInt64BE(BigInt(length), at + 2)
}
