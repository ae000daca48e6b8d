// CRC-32C (Castagnoli), the checksum of a Kafka record batch. Node's zlib.crc32 uses another polynomial. Each step
// processes sixteen bytes, read as aligned words, with sixteen tables («slicing by 16»). This takes a fifth of the time
// of a loop over single bytes.

const POLYNOMIAL = 0x82f63b78
const STRIDE = 16
const TABLES = makeTables()

function makeTables(): Int32Array {
  const tables = new Int32Array(STRIDE * 256)
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0)
    tables[byte] = crc
  }
  for (let i = 256; i < tables.length; i++) {
    const before = tables[i - 256] ?? 0
    tables[i] = (before >>> 8) ^ (tables[before & 0xff] ?? 0)
  }
  return tables
}

/** Returns the checksum of the bytes from `from` to `to`, exclusive. */
export function crc32c(bytes: Uint8Array, from: number, to: number): number {
  let crc = -1
  let i = from
  while (i < to && (bytes.byteOffset + i) % 4 !== 0) crc = addByte(crc, bytes[i++] ?? 0)
  const words = Math.floor((to - i) / STRIDE) * (STRIDE / 4)
  if (words > 0) {
    crc = addWords(crc, new Int32Array(bytes.buffer, bytes.byteOffset + i, words))
    i += words * 4
  }
  while (i < to) crc = addByte(crc, bytes[i++] ?? 0)
  return ~crc >>> 0
}

function addByte(crc: number, byte: number): number {
  return (TABLES[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8)
}

// Reads words in native byte order, which must be little-endian, as on x86-64 and ARM64.
function addWords(start: number, words: Int32Array): number {
  let crc = start
  for (let i = 0; i < words.length; i += 4) {
    crc =
      through(3072, crc ^ (words[i] ?? 0)) ^
      through(2048, words[i + 1] ?? 0) ^
      through(1024, words[i + 2] ?? 0) ^
      through(0, words[i + 3] ?? 0)
  }
  return crc
}

function through(table: number, word: number): number {
  return (
    (TABLES[table + 768 + (word & 0xff)] ?? 0) ^
    (TABLES[table + 512 + ((word >>> 8) & 0xff)] ?? 0) ^
    (TABLES[table + 256 + ((word >>> 16) & 0xff)] ?? 0) ^
    (TABLES[table + (word >>> 24)] ?? 0)
  )
}
