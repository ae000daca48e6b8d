// Finds a probable mistake in a valid pattern: a construct that has another meaning without JavaScript's flag u.

/** An escape with braces, any other escape, a repeat, or one character. */
const token =
  /\\(?:(?<property>[pP])\{[A-Za-z][\w=]*\}|u\{(?<code>[\dA-Fa-f]{1,6})\}|[^])|\{\d+(?:,\d*)?\}|[^]/g

/** Returns the first such construct, its meaning, and what to write instead, if any. */
export function likelyMistake(source: string): string | undefined {
  let isInClass = false
  for (const { 0: text, groups } of source.matchAll(token)) {
    if (groups?.property !== undefined)
      return `${text}, in which \\${groups.property} is only the letter ${groups.property}: list the characters, for example [A-Za-zÀ-ÿ]`
    const units = unitsOf(groups?.code)
    if (units !== undefined) return `${text}, in which \\u is only the letter u: write ${units}`
    if (text === '{' && !isInClass)
      return 'a { that starts no repeat, so it is only the character {: write \\{ for this character, {4} or {4,} or {4,9} for a repeat'
    if (text === '[') isInClass = true
    if (text === ']') isInClass = false
  }
  return undefined
}

/** Returns the escapes of a code point's UTF-16 units; undefined for an invalid code point. */
function unitsOf(hex: string | undefined): string | undefined {
  const code = Number.parseInt(hex ?? '', 16)
  if (!(code <= 0x10ffff)) return undefined
  return String.fromCodePoint(code)
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
