// Writes a pattern for re2js, which always matches in linear time. Captures and laziness are left out, because they
// don't change whether the pattern matches. RE2 reads code points, JavaScript UTF-16 units. A private-use character
// therefore replaces each surrogate in patterns and values, so that both engines count the same characters.
import { RE2JS } from 're2js'

import { programSize } from './cost.ts'
import { parsePattern, Untranslatable } from './parse.ts'
import type { PatternNode } from './parse.ts'
import { unitMax } from './units.ts'
import type { UnitRange } from './units.ts'

/** Larger patterns take linear time, too, but with a long value they would block the event loop. */
const programSizeMax = 2_000

/**
 * The maximum size of a pattern for re2js's automaton. Each state of the automaton is a set of the pattern's states.
 * re2js adds a state when a value first needs it, in 50 ns per member of its set. For large patterns the sets are
 * large, and seldom reused.
 */
const automatonSizeMax = 64

const surrogatesFrom = 0xd800
const surrogatesTo = 0xdfff
/** U+F0000, the first private-use character of plane 15. */
const standInFrom = 0xf0000
const toStandIn = (code: number): number => code - surrogatesFrom + standInFrom

/** Throws Untranslatable with the reason if RE2 can't express the pattern. */
export function compileRe2(source: string): (value: string) => boolean {
  const tree = parsePattern(source)
  const size = programSize(tree)
  if (size > programSizeMax) {
    throw new Untranslatable(`its repeats come to more than ${programSizeMax} steps`)
  }
  const pattern = compile(write(tree))
  const isFoundIn =
    size > automatonSizeMax
      ? (text: string) => pattern.matcher(text).find()
      : (text: string) => pattern.test(text)
  return (value) => isFoundIn(withoutSurrogates(value))
}

const withoutSurrogates = (value: string): string =>
  value.replaceAll(/[\ud800-\udfff]/g, (one) => String.fromCodePoint(toStandIn(one.charCodeAt(0))))

function compile(text: string): RE2JS {
  try {
    return RE2JS.compile(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown'
    throw new Untranslatable(reason.replace(/^error parsing regexp: /, ''), { cause: error })
  }
}

function write(node: PatternNode): string {
  switch (node.kind) {
    case 'units':
      return writeSet(node.set)
    case 'assertion':
      return node.sign === '^' ? '\\A' : node.sign === '$' ? '\\z' : node.sign
    case 'sequence':
      return node.parts.map(write).join('')
    case 'choice':
      return `(?:${node.options.map(write).join('|')})`
    case 'repeat':
      return `(?:${write(node.part)})${writeTimes(node.least, node.most)}`
    case 'lookaround':
      throw new Untranslatable('it looks ahead or behind')
    case 'backreference':
      throw new Untranslatable('it refers back to a group')
  }
}

const writeTimes = (least: number, most: number): string =>
  most === Infinity ? `{${least},}` : `{${least},${most}}`

/** A class that excludes all characters, because RE2 has no empty class. */
const nothing = '[^\\x{0}-\\x{10FFFF}]'

function writeSet(set: readonly UnitRange[]): string {
  if (set.length === 0) return nothing
  return `[${set
    .flatMap(withStandIns)
    .map(([from, to]) => `${point(from)}-${point(to)}`)
    .join('')}]`
}

function withStandIns([from, to]: UnitRange): readonly UnitRange[] {
  const below: UnitRange = [from, Math.min(to, surrogatesFrom - 1)]
  const inside: UnitRange = [Math.max(from, surrogatesFrom), Math.min(to, surrogatesTo)]
  const above: UnitRange = [Math.max(from, surrogatesTo + 1), Math.min(to, unitMax)]
  const standIns: UnitRange = [toStandIn(inside[0]), toStandIn(inside[1])]
  return [
    ...(below[0] <= below[1] ? [below] : []),
    ...(inside[0] <= inside[1] ? [standIns] : []),
    ...(above[0] <= above[1] ? [above] : []),
  ]
}

const point = (code: number): string => `\\x{${code.toString(16)}}`
