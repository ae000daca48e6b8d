// Checks JSON text before it is parsed. JSON.parse takes twenty times as long for a bracket as for other text, and
// blocks the process. So excessive nesting is refused before parsing.

/** The maximum nesting of arrays and objects. */
export const jsonDepthMax = 256

const quote = 0x22
const colon = 0x3a
const backslash = 0x5c
const [openArray, closeArray] = [0x5b, 0x5d]
const [openObject, closeObject] = [0x7b, 0x7d]

/**
 * Returns the number of object members in a JSON text in UTF-8; an arbitrary number for other text. Returns undefined
 * if the nesting exceeds `jsonDepthMax`.
 */
export function countJsonMembers(text: Uint8Array): number | undefined {
  const { length } = text
  let members = 0
  let depth = 0
  for (let at = 0; at < length; at += 1) {
    const byte = text[at]
    if (byte === quote) {
      for (at += 1; at < length && text[at] !== quote; at += 1) {
        if (text[at] === backslash) at += 1
      }
    } else if (byte === colon) members += 1
    else if (byte === openObject || byte === openArray) {
      depth += 1
      if (depth > jsonDepthMax) return undefined
    } else if (byte === closeObject || byte === closeArray) depth -= 1
  }
  return members
}

/** No list of a management request needs more items. */
export const listItemsMax = 1_000

/** Returns the name of a list with more items, if any: the body, or its first such member. */
export function longListIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  if (Array.isArray(body)) return body.length > listItemsMax ? 'The body' : undefined
  return Object.entries(body).find(
    ([, value]) => Array.isArray(value) && value.length > listItemsMax,
  )?.[0]
}
