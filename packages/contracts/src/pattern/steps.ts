// The maximum cost of matching a pattern, in steps of ten nanoseconds, computed from the pattern and the length of the
// value before matching. Linear time alone is no bound: six patterns of 950 states take two seconds for a value of 61
// kB. All validations of one event together may take 20 ms of processor time.
//
// The weights are twice the worst measurements, on Node 24. re2js takes up to 50 ns per state and character when it
// meets a state of its automaton for the first time, 1 ns after that, and 20 ns without an automaton. V8 takes up to
// 3.5 ns at each place, for each way through the pattern and each element of it. Usual patterns take 10 to 50 times
// less.
import type { Engine } from '../types.ts'
import { isAnchored, programSize, repeatsForever, waysThrough } from './cost.ts'
import { parsePattern } from './parse.ts'
import type { PatternNode } from './parse.ts'

/** The maximum for all validations of one event together: 20 ms. */
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

/** A class of a few ranges is one or two comparisons, one of hundreds is a search. */
const classWeight = (ranges: number): number => (ranges <= 16 ? 1 : 1 + Math.log2(ranges))

const sizeOf = (node: PatternNode): number => programSize(node, classWeight)

/** The size of the part of an anchored pattern that V8 may try at every place of a value: from the first endless repeat on. */
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
