// Estimates how many steps a backtracking engine takes at one place of a value because of bounded choices. The proof in
// `prove-linear.ts` covers only how time grows with the value. For example, `(a?){30}a{30}` is linear, but with a
// factor of 2^30. A pattern with a large factor doesn't run on V8.
import type { PatternNode } from './parse.ts'

/** The steps that V8 may take: once for a value, or at every place of the value. */
const onceMax = 100_000
const everywhereMax = 1_000

export function isCheap(node: PatternNode): boolean {
  const isOnce = isAnchored(node) && !repeatsForever(node)
  return waysThrough(node) * programSize(node) <= (isOnce ? onceMax : everywhereMax)
}

/** The length of the pattern with its repeats written out. `unitSize` gives the size of a character class. */
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

/** An upper bound for the number of ways through the pattern. An endless repeat counts as one way. */
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
  // the sum of ways^least to ways^most; with more than 20 terms of 2 and more it exceeds every bound
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
