// Mutates octets for fuzzers, with a few changes each time. It knows nothing of their meaning, except the target's
// words.
import type { FuzzRandom } from './random.ts'

const octetsMax = 4_096
/** Edge values of counts, lengths and signs. */
const edges = [0, 1, 2, 0x0a, 0x20, 0x22, 0x5c, 0x7b, 0x7f, 0x80, 0xbf, 0xc0, 0xf0, 0xfe, 0xff]

export type Mutation = {
  readonly random: FuzzRandom
  readonly words: readonly string[]
  /** Other inputs, from which parts are copied. */
  readonly others: readonly Buffer[]
}

export function mutate(octets: Buffer, mutation: Mutation): Buffer {
  let changed = octets
  for (let times = 1 + mutation.random.below(4); times > 0; times -= 1) {
    const change = mutation.random.one(changes) ?? setOctet
    changed = change(changed, mutation)
  }
  return changed.subarray(0, octetsMax)
}

type Change = (octets: Buffer, mutation: Mutation) => Buffer

/** Replaces a part, which may be empty. */
function replaced(octets: Buffer, { at, length }: Part, by: Uint8Array): Buffer {
  return Buffer.concat([octets.subarray(0, at), by, octets.subarray(at + length)])
}

type Part = { readonly at: number; readonly length: number }

function partOf(octets: Buffer, random: FuzzRandom, most = 64): Part {
  const at = random.below(octets.length + 1)
  return { at, length: random.below(Math.min(most, octets.length - at) + 1) }
}

const setOctet: Change = (octets, { random }) =>
  replaced(octets, partOf(octets, random, 1), Buffer.of(random.below(256)))

const flipBit: Change = (octets, { random }) => {
  const copy = Buffer.from(octets)
  const at = random.below(octets.length)
  const octet = copy[at]
  if (octet !== undefined) copy[at] = octet ^ (1 << random.below(8))
  return copy
}

const setEdge: Change = (octets, { random }) =>
  replaced(octets, partOf(octets, random, 1), Buffer.of(random.one(edges) ?? 0))

const drop: Change = (octets, { random }) =>
  replaced(octets, partOf(octets, random), Buffer.alloc(0))

const repeat: Change = (octets, { random }) => {
  const { at, length } = partOf(octets, random, 32)
  const part = octets.subarray(at, at + length)
  const times = 1 + random.below(random.below(8) === 0 ? 100 : 3)
  return replaced(octets, { at, length: 0 }, Buffer.concat(Array<Buffer>(times).fill(part)))
}

const putWord: Change = (octets, { random, words }) =>
  replaced(octets, partOf(octets, random, 8), Buffer.from(random.one(words) ?? ''))

const putNumber: Change = (octets, { random }) =>
  replaced(
    octets,
    partOf(octets, random, 4),
    Buffer.from(String(random.below(2 ** random.below(54)))),
  )

const splice: Change = (octets, { random, others }) => {
  const other = random.one(others) ?? octets
  const { at, length } = partOf(other, random, 512)
  return replaced(octets, partOf(octets, random, 512), other.subarray(at, at + length))
}

const changes: readonly Change[] = [
  setOctet,
  flipBit,
  setEdge,
  drop,
  repeat,
  putWord,
  putWord,
  putNumber,
  splice,
]
