// Computes the partition of a record key as Kafka's Java producer does, so that all clients send a key to the same
// partition. The hash is MurmurHash2, 32 bits, with Kafka's seed (org.apache.kafka.common.utils.Utils.murmur2).

const SEED = 0x9747b28c
const MULTIPLIER = 0x5bd1e995
const SHIFT = 24
const SIGN_BIT_OFF = 0x7fffffff

export function partitionOf(key: string | Buffer, partitions: number): number {
  const bytes = typeof key === 'string' ? bytesOf(key) : key
  return (murmur2(bytes) & SIGN_BIT_OFF) % partitions
}

const shared = Buffer.alloc(64)
const ofLength = Array.from({ length: shared.length + 1 }, (_, length) =>
  shared.subarray(0, length),
)

/** Reuses one buffer, so the result is valid only until the next call. */
function bytesOf(key: string): Buffer {
  const bytes = ofLength[key.length]
  if (bytes === undefined) return Buffer.from(key, 'utf8')
  for (let i = 0; i < key.length; i += 1) {
    const unit = key.charCodeAt(i)
    if (unit > 0x7f) return Buffer.from(key, 'utf8')
    bytes[i] = unit
  }
  return bytes
}

function murmur2(bytes: Buffer): number {
  const wholeWords = bytes.length & ~3
  let hash = SEED ^ bytes.length
  for (let at = 0; at < wholeWords; at += 4) {
    let word = Math.imul(bytes.readInt32LE(at), MULTIPLIER)
    word ^= word >>> SHIFT
    hash = Math.imul(hash, MULTIPLIER) ^ Math.imul(word, MULTIPLIER)
  }
  const left = bytes.length - wholeWords
  if (left > 0) hash = Math.imul(hash ^ bytes.readUIntLE(wholeWords, left), MULTIPLIER)
  hash ^= hash >>> 13
  hash = Math.imul(hash, MULTIPLIER)
  return hash ^ (hash >>> 15)
}
