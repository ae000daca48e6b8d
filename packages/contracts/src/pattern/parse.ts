// Parses a JavaScript pattern without flags into a tree. V8 must have accepted the pattern, because the parser does not
// check its validity. Throws Untranslatable for a construct that it does not fully understand.
import { anyButLineEnds, classEscapes, complement, union, unit } from './units.ts'
import type { UnitSet } from './units.ts'

export type PatternNode =
  | { readonly kind: 'units'; readonly set: UnitSet }
  | { readonly kind: 'assertion'; readonly sign: '^' | '$' | '\\b' | '\\B' }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | {
      readonly kind: 'repeat'
      readonly part: PatternNode
      readonly least: number
      readonly most: number
    }
  | { readonly kind: 'lookaround'; readonly part: PatternNode }
  | { readonly kind: 'backreference' }

export class Untranslatable extends Error {}

type Scanner = { readonly source: string; at: number }

export function parsePattern(source: string): PatternNode {
  const scanner = { source, at: 0 }
  const node = parseChoice(scanner)
  if (scanner.at < source.length) throw new Untranslatable('it has a bracket without a partner')
  return node
}

/**
 * Matches the sticky pattern at the current position, and moves the scanner behind the match. Returns undefined without
 * a match.
 */
function take(scanner: Scanner, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = scanner.at
  const match = pattern.exec(scanner.source)
  if (!match) return undefined
  scanner.at = pattern.lastIndex
  return match
}

function parseChoice(scanner: Scanner): PatternNode {
  const options: PatternNode[] = []
  do options.push(parseSequence(scanner))
  while (take(scanner, /\|/y))
  const [only] = options
  return options.length === 1 && only ? only : { kind: 'choice', options }
}

function parseSequence(scanner: Scanner): PatternNode {
  const parts: PatternNode[] = []
  while (scanner.at < scanner.source.length && !/[|)]/.test(scanner.source[scanner.at] ?? '')) {
    parts.push(parseRepeat(scanner, parseAtom(scanner)))
  }
  return { kind: 'sequence', parts }
}

function parseRepeat(scanner: Scanner, part: PatternNode): PatternNode {
  const match = take(scanner, /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y)
  if (!match) return part
  const [, sign, from, comma, to] = match
  if (sign)
    return { kind: 'repeat', part, least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Infinity }
  const least = Number(from)
  const most = comma === undefined ? least : to === '' ? Infinity : Number(to)
  return { kind: 'repeat', part, least, most }
}

function parseAtom(scanner: Scanner): PatternNode {
  if (take(scanner, /\^/y)) return { kind: 'assertion', sign: '^' }
  if (take(scanner, /\$/y)) return { kind: 'assertion', sign: '$' }
  if (take(scanner, /\\b/y)) return { kind: 'assertion', sign: '\\b' }
  if (take(scanner, /\\B/y)) return { kind: 'assertion', sign: '\\B' }
  if (take(scanner, /\\(?:[1-9]\d*|k<[^>]*>)/y)) return { kind: 'backreference' }
  if (take(scanner, /\./y)) return { kind: 'units', set: anyButLineEnds }
  if (take(scanner, /\[/y)) return { kind: 'units', set: parseClass(scanner) }
  if (take(scanner, /\(/y)) return parseGroup(scanner)
  return { kind: 'units', set: parseUnits(scanner, false) }
}

function parseGroup(scanner: Scanner): PatternNode {
  const isLookaround = take(scanner, /\?<?[=!]/y) !== undefined
  if (!isLookaround) take(scanner, /\?:|\?<[^>]*>/y)
  if (take(scanner, /\?/y)) throw new Untranslatable('it has a group with flags of its own')
  const part = parseChoice(scanner)
  if (!take(scanner, /\)/y)) throw new Untranslatable('it has a bracket without a partner')
  return isLookaround ? { kind: 'lookaround', part } : part
}

function parseClass(scanner: Scanner): UnitSet {
  const isNegated = take(scanner, /\^/y) !== undefined
  const sets: UnitSet[] = []
  while (!take(scanner, /\]/y)) {
    if (scanner.at >= scanner.source.length) throw new Untranslatable('it has a class without end')
    const from = parseUnits(scanner, true)
    if (take(scanner, /-(?!\])/y)) sets.push(...classRange(from, parseUnits(scanner, true)))
    else sets.push(from)
  }
  const set = union(...sets)
  return isNegated ? complement(set) : set
}

/** Returns one range, or three separate sets if one end is a class such as \d. */
function classRange(from: UnitSet, to: UnitSet): readonly UnitSet[] {
  const [first, second] = [single(from), single(to)]
  if (first === undefined || second === undefined) return [from, unit(0x2d), to]
  return [[[first, second]]]
}

function single(set: UnitSet): number | undefined {
  const [only] = set
  return set.length === 1 && only && only[0] === only[1] ? only[0] : undefined
}

const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 }

/** Parses one UTF-16 unit, plain or escaped, or a class escape such as \d. */
function parseUnits(scanner: Scanner, isInClass: boolean): UnitSet {
  const plain = take(scanner, /[^\\]/y)
  if (plain) return unit(plain[0].charCodeAt(0))
  const hex = take(scanner, /\\(?:x([\dA-Fa-f]{2})|u([\dA-Fa-f]{4}))/y)
  if (hex) return unit(Number.parseInt(hex[1] ?? hex[2] ?? '', 16))
  const control = take(scanner, /\\c([A-Za-z])/y)
  if (control) return unit((control[1] ?? '').charCodeAt(0) % 32)
  if (take(scanner, /\\(?:c|0\d|[1-9])/y)) {
    throw new Untranslatable('it has an octal or incomplete control escape')
  }
  const escape = take(scanner, /\\([^])/y)?.[1] ?? ''
  if (escape === 'b' && isInClass) return unit(8)
  const set = Object.hasOwn(classEscapes, escape) ? classEscapes[escape] : undefined
  const code = Object.hasOwn(controls, escape) ? controls[escape] : escape.charCodeAt(0)
  return set ?? unit(code ?? 0)
}
