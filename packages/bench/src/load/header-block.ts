// Header blocks as real clients send them (RFC 7541): the first request puts its fields into the
// connection's dynamic table, every later one only names them by their index.

/** Name and value; pseudo-headers first. */
export type HeaderList = readonly (readonly [name: string, value: string])[]

/** Fields that HPACK's static table holds whole. */
const staticIndex = new Map([
  [':method POST', 3],
  [':scheme http', 6],
])
const staticTableSize = 61

/** Every field that isn't in the static table, literally, to be remembered (RFC 7541 6.2.1). */
export function encodeFirst(headers: HeaderList): Buffer {
  return Buffer.concat(
    headers.map(([name, value]) => {
      const index = staticIndex.get(`${name} ${value}`)
      if (index !== undefined) return Buffer.of(0x80 | index)
      return Buffer.concat([Buffer.of(0x40), text(name), text(value)])
    }),
  )
}

/** The same fields by their indices, once `encodeFirst` was sent (RFC 7541 6.1). */
export function encodeIndexed(headers: HeaderList): Buffer {
  const remembered = headers.filter(([name, value]) => !staticIndex.has(`${name} ${value}`))
  return Buffer.concat(
    headers.map(([name, value]) => {
      const index = staticIndex.get(`${name} ${value}`)
      if (index !== undefined) return Buffer.of(0x80 | index)
      // The newest entry has the lowest index.
      const age = remembered.length - 1 - remembered.findIndex(([other]) => other === name)
      return Buffer.of(0x80 | (staticTableSize + 1 + age))
    }),
  )
}

/** A string literal without Huffman coding, its length in a 7-bit prefix (RFC 7541 5.1, 5.2). */
function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1')
  return Buffer.concat([length(bytes.length), bytes])
}

function length(value: number): Buffer {
  if (value < 127) return Buffer.of(value)
  const bytes = [127]
  let left = value - 127
  for (; left >= 128; left >>= 7) bytes.push((left & 127) | 128)
  return Buffer.of(...bytes, left)
}
