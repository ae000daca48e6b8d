// Huffman coding of strings in HPACK (RFC 7541 5.2 and Appendix B). The code is canonical, so the
// lengths of its symbols say everything; the last one is the end-of-string symbol.

const lengths =
  '13 23 28 28 28 28 28 28 28 24 30 28 28 30 28 28 28 28 28 28 28 28 30 28 28 28 28 28 28 28 28 28 6 10 10 12 13 6 8 11 10 10 8 11 8 6 6 6 5 5 5 6 6 6 6 6 6 6 7 8 15 6 12 10 13 6 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 8 7 8 13 19 13 14 6 15 5 6 5 6 5 6 6 6 5 7 7 6 6 6 5 6 7 6 5 5 6 7 7 7 7 7 15 11 14 13 28 20 22 20 20 22 22 22 23 22 23 23 23 23 23 24 23 24 24 22 23 24 23 23 23 23 21 22 23 22 23 23 24 22 21 20 22 22 23 23 21 23 22 22 24 21 22 23 23 21 21 22 21 23 22 23 23 20 22 22 22 23 22 22 23 26 26 20 19 22 23 22 25 26 26 26 27 27 26 24 25 19 21 26 27 27 26 27 24 21 21 26 26 28 27 27 27 20 24 20 21 22 21 21 23 22 22 25 25 24 24 26 23 26 27 26 26 27 27 27 27 27 28 27 27 27 27 27 26 30'
    .split(' ')
    .map(Number)
const endOfString = 256

/**
 * The code as a binary tree in one array: nodes of two slots, each holding the next node (positive) or
 * the symbol that ends here (as its bitwise complement).
 */
const tree = buildTree()

/** The text, a byte a character; undefined when it isn't a valid coding. */
export function decodeHuffman(bytes: Buffer, start: number, end: number): string | undefined {
  const out = Buffer.allocUnsafe(Math.ceil(((end - start) * 8) / 5))
  let length = 0
  let node = 0
  let depth = 0
  let isPadding = true
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0
    for (let bit = 7; bit >= 0; bit--) {
      const one = (byte >> bit) & 1
      const next = tree[node + one] ?? 0
      depth += 1
      isPadding &&= one === 1
      if (next >= 0) {
        node = next
        continue
      }
      const symbol = ~next
      if (symbol === endOfString) return undefined
      out[length++] = symbol
      node = 0
      depth = 0
      isPadding = true
    }
  }
  // What is left must be a beginning of the end-of-string code, all ones, shorter than a byte.
  if (depth > 7 || !isPadding) return undefined
  return out.toString('latin1', 0, length)
}

function buildTree(): Int32Array {
  const nodes: number[] = [0, 0]
  const symbols = [...lengths.keys()].sort((a, b) => lengthOf(a) - lengthOf(b) || a - b)
  let code = 0
  let codeLength = 0
  for (const symbol of symbols) {
    code = codeLength === 0 ? 0 : (code + 1) * 2 ** (lengthOf(symbol) - codeLength)
    codeLength = lengthOf(symbol)
    let node = 0
    for (let bit = codeLength - 1; bit > 0; bit--) {
      const slot = node + ((code >> bit) & 1)
      if (nodes[slot] === 0) {
        nodes[slot] = nodes.length
        nodes.push(0, 0)
      }
      node = nodes[slot] ?? 0
    }
    nodes[node + (code & 1)] = ~symbol
  }
  return Int32Array.from(nodes)
}

function lengthOf(symbol: number): number {
  return lengths[symbol] ?? 0
}
