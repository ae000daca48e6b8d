// Huffman coding of strings in HPACK (RFC 7541 5.2 and Appendix B). The code is canonical, so the lengths of the codes
// define it. The last symbol is the end of a string.

const lengths =
  '13 23 28 28 28 28 28 28 28 24 30 28 28 30 28 28 28 28 28 28 28 28 30 28 28 28 28 28 28 28 28 28 6 10 10 12 13 6 8 11 10 10 8 11 8 6 6 6 5 5 5 6 6 6 6 6 6 6 7 8 15 6 12 10 13 6 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 8 7 8 13 19 13 14 6 15 5 6 5 6 5 6 6 6 5 7 7 6 6 6 5 6 7 6 5 5 6 7 7 7 7 7 15 11 14 13 28 20 22 20 20 22 22 22 23 22 23 23 23 23 23 24 23 24 24 22 23 24 23 23 23 23 21 22 23 22 23 23 24 22 21 20 22 22 23 23 21 23 22 22 24 21 22 23 23 21 21 22 21 23 22 23 23 20 22 22 22 23 22 22 23 26 26 20 19 22 23 22 25 26 26 26 27 27 26 24 25 19 21 26 27 27 26 27 24 21 21 26 26 28 27 27 27 20 24 20 21 22 21 21 23 22 22 25 25 24 24 26 23 26 27 26 26 27 27 27 27 27 28 27 27 27 27 27 26 30'
    .split(' ')
    .map(Number)
const endOfString = 256

const hasSymbol = 256
const stateShift = 9
const invalid = -1

/**
 * `steps` has the decoder's transition for each state and the next four bits, at the index state + bits. A transition
 * contains the next state and the symbol that ends within these bits, if any. Every code has at least five bits, so at
 * most one symbol ends.
 */
const tree = buildTree()
const steps = buildSteps()
const finalStates = paddingStates()

/** Returns the text in Latin-1; undefined if the coding is invalid. */
export function decodeHuffman(bytes: Buffer, start: number, end: number): string | undefined {
  const out = Buffer.allocUnsafe(Math.ceil(((end - start) * 8) / 5))
  let length = 0
  let state = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0
    const first = steps[state + (byte >> 4)] ?? invalid
    if (first === invalid) return undefined
    if ((first & hasSymbol) !== 0) out[length++] = first
    const second = steps[(first >> stateShift) + (byte & 15)] ?? invalid
    if (second === invalid) return undefined
    if ((second & hasSymbol) !== 0) out[length++] = second
    state = second >> stateShift
  }
  return finalStates.has(state) ? out.toString('latin1', 0, length) : undefined
}

/** State numbers leave room for sixteen transitions each. */
function stateOf(node: number): number {
  return node * 8
}

function buildSteps(): Int32Array {
  const table = new Int32Array(stateOf(tree.length))
  for (let from = 0; from < tree.length; from += 2)
    for (let bits = 0; bits < 16; bits++) table[stateOf(from) + bits] = step(from, bits)
  return table
}

function step(from: number, bits: number): number {
  let node = from
  let ended = 0
  for (let bit = 3; bit >= 0; bit--) {
    const next = tree[node + ((bits >> bit) & 1)] ?? 0
    if (~next === endOfString) return invalid
    if (next < 0) ended = hasSymbol | ~next
    node = Math.max(next, 0)
  }
  return (stateOf(node) << stateShift) | ended
}

/**
 * Returns the states in which a string may end. The remaining bits must be a prefix of the end-of-string code: at most
 * seven ones.
 */
function paddingStates(): ReadonlySet<number> {
  const states = new Set([0])
  for (let node = tree[1] ?? 0; states.size < 8; node = tree[node + 1] ?? 0)
    states.add(stateOf(node))
  return states
}

/**
 * Returns the code as a binary tree in one array. Each node has two slots, with the next node (positive) or the symbol
 * that ends there (its bitwise complement).
 */
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
