// Splits lists into pages. A page begins after the last key of the previous page. So objects that are created or
// deleted meanwhile don't cause other objects to be skipped or repeated. If there are more entries, the header Link has
// the address of the next page (RFC 8288).
import type { Call } from './express/answer.ts'
import { invalid } from './refusal.ts'

export const pageEntries = { usually: 200, max: 1_000 }
/** The maximum size of a page. A page of one entry may be larger. */
const pageBytesMax = 262_144

export type Page<Entry> = {
  readonly entries: readonly Entry[]
  readonly headers: Readonly<Record<string, string>>
}

export type ListOptions<Entry> = {
  /** Returns a unique key. The list is sorted by the keys, in UTF-16 units. */
  readonly keyOf: (entry: Entry) => string
  /** Returns the size of an entry. Set if entries may be large. */
  readonly bytesOf?: (entry: Entry) => number
}

/**
 * Returns the page that `limit` and `cursor` in the query select.
 * @throws Refusal `invalid` if these are invalid
 */
export function listPage<Entry>(
  call: Pick<Call, 'query'>,
  list: readonly Entry[],
  { keyOf, bytesOf = () => 0 }: ListOptions<Entry>,
): Page<Entry> {
  const { limit, after } = askedOf(call)
  const rest = list
    .map((entry) => ({ key: keyOf(entry), entry }))
    .filter(({ key }) => after === undefined || key > after)
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  let count = 0
  let bytes = 0
  for (const { entry } of rest.slice(0, limit)) {
    bytes += bytesOf(entry)
    if (count > 0 && bytes > pageBytesMax) break
    count += 1
  }
  const last = count < rest.length ? rest[count - 1] : undefined
  return {
    entries: rest.slice(0, count).map(({ entry }) => entry),
    headers: last === undefined ? {} : { link: linkTo(limit, last.key) },
  }
}

/** Returns a link relative to the requested address, which a proxy may have changed. */
const linkTo = (limit: number, key: string): string =>
  `<?limit=${limit}&cursor=${Buffer.from(key).toString('base64url')}>; rel="next"`

function askedOf(call: Pick<Call, 'query'>): { limit: number; after: string | undefined } {
  const text = call.query('limit') ?? String(pageEntries.usually)
  const cursor = call.query('cursor')
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  const problems = [
    ...(limit < 1 || limit > pageEntries.max
      ? [`limit must be a whole number from 1 to ${pageEntries.max}`]
      : []),
    ...(cursor !== undefined && !/^[\w-]{1,1000}$/.test(cursor)
      ? ['cursor must be taken from the header Link of the previous page']
      : []),
  ]
  if (problems.length > 0) throw invalid(problems)
  return { limit, after: cursor && Buffer.from(cursor, 'base64url').toString() }
}
