// A person's event as text: a line of NDJSON, which contains everything, or rows of CSV, one for each field, for a
// spreadsheet. Pure.

export type PersonEvent = {
  readonly contract: string
  /** ISO 8601, by the event's own clock. */
  readonly time: string
  /** As JSON for people; a field that is not decrypted has its stored value. Undefined if nothing can be read. */
  readonly event?: unknown
  /** Paths of fields, and why they are not decrypted. */
  readonly notDecrypted?: Readonly<Record<string, NotDecrypted>>
  /** Why there is no event. */
  readonly unreadable?: string
}

/**
 * `withdrawn`: nobody can decrypt the field, because the person has withdrawn its level. `level_not_served`: this
 * deployment may not decrypt it. `corrupt`: ingest did not encrypt it for this person and field.
 */
export type NotDecrypted = 'withdrawn' | 'level_not_served' | 'corrupt'

export type AccessFormat = 'ndjson' | 'csv'

export type Lines = {
  readonly contentType: string
  /** Written before the first event. */
  readonly head: string
  line(event: PersonEvent): string
}

export const linesOf: Readonly<Record<AccessFormat, () => Lines>> = {
  ndjson: () => ({
    contentType: 'application/x-ndjson; charset=utf-8',
    head: '',
    line: (event) => `${JSON.stringify(event)}\n`,
  }),
  csv() {
    let number = 0
    return {
      contentType: 'text/csv; charset=utf-8',
      head: rowOf(['event', 'time', 'contract', 'field', 'value', 'note']),
      line({ time, contract, event, notDecrypted = {}, unreadable }) {
        number += 1
        const row = (...cells: readonly string[]): string =>
          rowOf([String(number), time, contract, ...cells])
        if (unreadable !== undefined) return row('', '', unreadable)
        return leavesOf(event, '', '')
          .map(({ path, field, value }) => {
            const why = notDecrypted[field]
            return row(path, cellOf(value), why === undefined ? '' : `not decrypted: ${why}`)
          })
          .join('')
      },
    }
  },
}

/** `field`: its path in the contract, where elements of lists have no number. */
type Leaf = { readonly path: string; readonly field: string; readonly value: unknown }

function leavesOf(value: unknown, path: string, field: string): Leaf[] {
  if (typeof value !== 'object' || value === null) return [{ path, field, value }]
  const under = (name: string): string => (path === '' ? name : `${path}/${name}`)
  const isList = Array.isArray(value)
  return Object.entries(value).flatMap(([name, item]) => {
    const inField = isList ? field : field === '' ? name : `${field}/${name}`
    return leavesOf(item, under(name), inField)
  })
}

const rowOf = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\r\n`

const quoted = (cell: string): string =>
  /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return JSON.stringify(value)
  // A spreadsheet would run such a text as a formula, and events come from anyone.
  return /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
}
