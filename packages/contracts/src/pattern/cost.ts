// Estimates how many steps a backtracking engine takes at one position of a value because of bounded choices.
// `prove-linear.ts` proves only that time grows linearly with the value. The factor may still be large: 2^30 for
// `(a?){30}a{30}`. A pattern with a large factor does not run on V8.
import type { PatternNode } from './parse.ts'

/** The maximum steps on V8: for patterns tried once per value, and for patterns tried at every position. */
const onceMax = 100_000
const everywhereMax = 1_000

export function isCheap(node: PatternNode): boolean {
  const isOnce = isAnchored(node) && !repeatsForever(node)
  return waysThrough(node) * programSize(node) <= (isOnce ? onceMax : everywhereMax)
}

/** Returns the length of the pattern with its repeats written out. `unitSize` returns the size of a character class. */
export function programSize(node: PatternNode, unitSize = (_ranges: number): number => 1): number {
  const sizeOf = (part: PatternNode): number => programSize(part, unitSize)
  switch (node.kind) {
    case 'units':
      return unitSize(node.set.length)
    case 'sequence':
      return node.parts.reduce((size, part) => size + sizeOf(part), 1)
    case 'choice':
      return node.options.reduce((size, option) => size + sizeOf(option), 1)
    case 'repeat': {
      const times = node.most === Infinity ? node.least + 1 : node.most
      return 1 + times * sizeOf(node.part)
    }
    case 'lookaround':
      return sizeOf(node.part)
    default:
      return 1
  }
}

/** Returns an upper bound for the number of ways through the pattern. An endless repeat counts as one way. */
export function waysThrough(node: PatternNode): number {
  switch (node.kind) {
    case 'sequence':
      return node.parts.reduce((ways, part) => ways * waysThrough(part), 1)
    case 'choice':
      return node.options.reduce((ways, option) => ways + waysThrough(option), 0)
    case 'repeat':
      return waysThroughRepeat(waysThrough(node.part), node.least, node.most)
    case 'lookaround':
      return waysThrough(node.part)
    default:
      return 1
  }
}

function waysThroughRepeat(ways: number, least: number, most: number): number {
  if (most === Infinity) return ways ** Math.max(least, 1)
  if (ways === 1) return most - least + 1
  // the sum of ways^least to ways^most; with more than 20 terms, and ways ≥ 2, it exceeds every bound
  if (most - least > 20) return Infinity
  let sum = 0
  for (let times = least; times <= most; times += 1) sum += ways ** times
  return sum
}

export function isAnchored(node: PatternNode): boolean {
  switch (node.kind) {
    case 'assertion':
      return node.sign === '^'
    case 'sequence': {
      const [first] = node.parts
      return first !== undefined && isAnchored(first)
    }
    case 'choice':
      return node.options.every(isAnchored)
    default:
      return false
  }
}

export function repeatsForever(node: PatternNode): boolean {
  switch (node.kind) {
    case 'sequence':
      return node.parts.some(repeatsForever)
    case 'choice':
      return node.options.some(repeatsForever)
    case 'repeat':
      return node.most === Infinity || repeatsForever(node.part)
    case 'lookaround':
      return repeatsForever(node.part)
    default:
      return false
  }
}
