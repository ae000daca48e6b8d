// Sets of UTF-16 code units, as sorted ranges. JavaScript's patterns without the u flag match code units, and so do
// both our engines.

export type UnitRange = readonly [from: number, to: number]
export type UnitSet = readonly UnitRange[]

export const unitMax = 0xffff

export const unit = (code: number): UnitSet => [[code, code]]

export function union(...sets: readonly UnitSet[]): UnitSet {
  const merged: [number, number][] = []
  for (const [from, to] of sets.flat().toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else merged.push([from, to])
  }
  return merged
}

export function complement(set: UnitSet): UnitSet {
  const gaps: UnitRange[] = []
  let next = 0
  for (const [from, to] of union(set)) {
    if (from > next) gaps.push([next, from - 1])
    next = to + 1
  }
  if (next <= unitMax) gaps.push([next, unitMax])
  return gaps
}

const digits: UnitSet = [[0x30, 0x39]]
const words: UnitSet = [...digits, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]]
/** ECMAScript's WhiteSpace and LineTerminator. */
const spaces: UnitSet = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]

/** The sets of class escapes such as \d. */
export const classEscapes: Readonly<Record<string, UnitSet>> = {
  d: digits,
  D: complement(digits),
  w: words,
  W: complement(words),
  s: spaces,
  S: complement(spaces),
}

/** What a dot matches: all but line terminators. */
export const anyButLineEnds: UnitSet = complement([
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
])
