// Text in frames of Kafka's protocol: a length in four octets, and as many octets.

/** The length of the request header's part that the proxy reads. */
const LEAST = 8

export function framed(text: string): Buffer {
  const octets = Buffer.from(text.padEnd(LEAST))
  const length = Buffer.alloc(4)
  length.writeInt32BE(octets.length)
  return Buffer.concat([length, octets])
}

export function framesIn(bytes: Buffer): string[] {
  const texts: string[] = []
  for (let at = 0; at + 4 <= bytes.length;) {
    const end = at + 4 + bytes.readInt32BE(at)
    if (end <= bytes.length) texts.push(bytes.toString('utf8', at + 4, end).trimEnd())
    at = end
  }
  return texts
}
