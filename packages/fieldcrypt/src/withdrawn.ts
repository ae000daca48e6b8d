// The key records `withdrawn.<digit>` of a term contain the levels that people have withdrawn, by link. The tree makes
// the fields of these levels unreadable. Also, code that uses an event's consent must first remove these levels from
// it.
//
//   part  = *entry          ; sorted, each once; in withdrawn.<first hexadecimal digit of the link>
//   entry = link level
//   link  = 8OCTET
//   level = OCTET
import { LINK_BYTES } from './derivation.ts'
import { recordUnreadable } from './errors.ts'

const ENTRY_BYTES = LINK_BYTES + 1

const digits = /^withdrawn\.([0-9a-f])$/

export const isWithdrawnPart = (part: string): boolean => digits.test(part)

/** Returns the name of the key record with the link's entries. */
export const withdrawnPartOf = (link: Uint8Array): string =>
  `withdrawn.${((link[0] ?? 0) >> 4).toString(16)}`

/**
 * Returns the withdrawn levels of a link, or an empty list without a key record. @throws FieldcryptError
 * `record_unreadable`
 */
export function withdrawnIn(part: Buffer | undefined, link: Uint8Array): number[] {
  if (part === undefined) return []
  const levels: number[] = []
  for (let at = firstOf(checked(part), link); isOf(part, at, link); at += ENTRY_BYTES)
    levels.push(part[at + LINK_BYTES] ?? 0)
  return levels
}

export type Withdrawal = { readonly link: Uint8Array; readonly levels: readonly number[] }

/** Adds entries to the key record to which all their links belong, without duplicates. */
export function addWithdrawn(part: Buffer | undefined, more: readonly Withdrawal[]): Buffer {
  const before = part === undefined ? [] : entriesIn(checked(part))
  const added = more.flatMap(({ link, levels }) =>
    levels.map((level) => Buffer.concat([link, Buffer.of(level)])),
  )
  const sorted = [...before, ...added].sort(Buffer.compare)
  return Buffer.concat(
    sorted.filter((entry, nth) => nth === 0 || !entry.equals(sorted[nth - 1] ?? entry)),
  )
}

export const withdrawalBytes = (levels: number): number => levels * ENTRY_BYTES

function checked(part: Buffer): Buffer {
  if (part.length % ENTRY_BYTES !== 0) throw recordUnreadable('key record withdrawn')
  return part
}

const entriesIn = (part: Buffer): Buffer[] =>
  Array.from({ length: part.length / ENTRY_BYTES }, (_, nth) =>
    part.subarray(nth * ENTRY_BYTES, (nth + 1) * ENTRY_BYTES),
  )

/** Returns the offset of the first entry whose link isn't smaller than `link`. */
function firstOf(part: Buffer, link: Uint8Array): number {
  let [low, high] = [0, part.length / ENTRY_BYTES]
  while (low < high) {
    const middle = (low + high) >>> 1
    const at = middle * ENTRY_BYTES
    if (part.compare(link, 0, LINK_BYTES, at, at + LINK_BYTES) < 0) low = middle + 1
    else high = middle
  }
  return low * ENTRY_BYTES
}

const isOf = (part: Buffer, at: number, link: Uint8Array): boolean =>
  at < part.length && part.compare(link, 0, LINK_BYTES, at, at + LINK_BYTES) === 0
