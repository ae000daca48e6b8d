// Computes the maximum cost of matching, in steps of ten nanoseconds, from the pattern and the length of the value.
// Linear time alone is not enough: six patterns of 950 states take two seconds for a value of 61 kB. All validations of
// one event together may take 20 ms of processor time.
//
// The weights are about twice the worst measurements on Node 24. Per state and character, re2js takes up to 50 ns if it
// must add a state to its automaton, 1 ns if the automaton has the state, and 20 ns without the automaton. V8 takes up
// to 3.5 ns per position in the value, way through the pattern and element of the pattern. Usual patterns take 10 to 50
// times less.
import type { Engine } from '../types.ts'
import { isAnchored, programSize, repeatsForever, waysThrough } from './cost.ts'
import { parsePattern } from './parse.ts'
import type { PatternNode } from './parse.ts'

/** For all validations of one event together: 20 ms. */
export const stepsMax = 2_000_000

export type MatchCost = {
  readonly perValue: number
  /** The steps for each UTF-16 unit of the value. */
  readonly perUnit: number
}

const re2Weight = 10
const re2PerValue = 200
const v8Weight = 0.6
const v8PerValue = 10

export function matchCost(source: string, engine: Engine): MatchCost {
  const tree = parsePattern(source)
  if (engine === 're2') {
    const perUnit = re2Weight * sizeOf(tree)
    return { perValue: re2PerValue + perUnit, perUnit }
  }
  const perPlace = v8Weight * waysThrough(tree)
  return {
    perValue: v8PerValue + perPlace * sizeOf(tree),
    perUnit: perPlace * sizeEverywhere(tree),
  }
}

export const stepsFor = ({ perValue, perUnit }: MatchCost, units: number): number =>
  perValue + perUnit * units

/** Returns the weight of a class: a few ranges need one or two comparisons, hundreds of ranges need a search. */
const classWeight = (ranges: number): number => (ranges <= 16 ? 1 : 1 + Math.log2(ranges))

const sizeOf = (node: PatternNode): number => programSize(node, classWeight)

/**
 * Returns the size of the part of a pattern that V8 may try at every position of a value. In an anchored pattern, it
 * starts with the first endless repeat.
 */
function sizeEverywhere(node: PatternNode): number {
  if (!isAnchored(node)) return sizeOf(node)
  if (!repeatsForever(node)) return 0
  if (node.kind === 'choice')
    return node.options.reduce((size, option) => size + sizeEverywhere(option), 0)
  if (node.kind !== 'sequence') return sizeOf(node)
  const from = node.parts.findIndex(repeatsForever)
  return node.parts.slice(from).reduce((size, part) => size + sizeInPassing(part), 0)
}

/** An endless repeat of a single character, such as `.+`, scans the value once forward and once back. */
const sizeInPassing = (node: PatternNode): number =>
  node.kind === 'repeat' && node.most === Infinity && node.part.kind === 'units'
    ? node.least + sizeOf(node.part)
    : sizeOf(node)
