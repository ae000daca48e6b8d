// The parts `withdrawn` of an era: which levels people have taken out of their consent, by their links. A level names a purpose, so
// what is left of a consent is asked wherever an event's consent is. The tree's parts keep the fields of such a level closed; these
// say it of events.
//
//   part  = *entry          ; sorted, each once; in withdrawn.<first digit of the link>
//   entry = link level
//   link  = 8OCTET
//   level = OCTET
import { LINK_BYTES, linkDigits } from './derivation.ts'
import { recordUnreadable } from './errors.ts'

const ENTRY_BYTES = LINK_BYTES + 1

const digits = /^withdrawn\.([0-9a-f])$/

export const isWithdrawnPart = (part: string): boolean => digits.test(part)

/** The part that a link's entries lie in. */
export const withdrawnPartOf = (link: Uint8Array): string => `withdrawn.${linkDigits(link)[0]}`

/** The levels that are withdrawn under a link; undefined: there is no such part. @throws FieldcryptError `record_unreadable` */
export function withdrawnIn(part: Buffer | undefined, link: Uint8Array): number[] {
  if (part === undefined) return []
  const levels: number[] = []
  for (let at = firstOf(checked(part), link); isOf(part, at, link); at += ENTRY_BYTES)
    levels.push(part[at + LINK_BYTES] ?? 0)
  return levels
}

export type Withdrawal = { readonly link: Uint8Array; readonly levels: readonly number[] }

/** The part with more entries, all of links that lie in it; the same bytes where it has them. */
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

/** How many bytes one withdrawal adds at most. */
export const withdrawalBytes = (levels: number): number => levels * ENTRY_BYTES

function checked(part: Buffer): Buffer {
  if (part.length % ENTRY_BYTES !== 0) throw recordUnreadable('key record withdrawn')
  return part
}

const entriesIn = (part: Buffer): Buffer[] =>
  Array.from({ length: part.length / ENTRY_BYTES }, (_, nth) =>
    part.subarray(nth * ENTRY_BYTES, (nth + 1) * ENTRY_BYTES),
  )

/** Where the first entry lies that isn't below the link. */
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
