// Writes a person's event as text: a complete line of NDJSON, or rows of CSV for a spreadsheet, one per field. Pure.
import { string, time } from '@weir/http-api'
import { z } from 'zod'

/**
 * `withdrawn`: nobody can decrypt the field, because the person has withdrawn its level. `level_not_served`: this
 * deployment may not decrypt the field. `corrupt`: ingest did not encrypt the value for this person and field.
 */
const notDecrypted = z.enum(['withdrawn', 'level_not_served', 'corrupt'])
export type NotDecrypted = z.infer<typeof notDecrypted>

/**
 * Whom the event names. `searched`: the searched value. `other`: another value. `linked`: nobody, so only the key
 * field, such as a device, connects the event with the person. `encrypted`: a field that names a person is not
 * decrypted.
 */
const inEvent = z.enum(['searched', 'other', 'linked', 'encrypted'])
export type InEvent = z.infer<typeof inEvent>

export const personEvent = z.strictObject({
  contract: string,
  /** The event's own time. */
  time,
  withdrawn: z
    .array(z.int())
    .readonly()
    .describe(
      'consent levels that the person has withdrawn; the event still has those it was sent with',
    )
    .optional(),
  purposes: z
    .record(string, string)
    .describe(
      'the names that the account has today for consent levels of the event, withdrawn ones, and those of its personal fields, by level',
    )
    .optional(),
  levels: z
    .record(string, z.int())
    .describe('the consent levels of the personal fields that the event has, by path')
    .optional(),
  person: inEvent
    .describe(
      'what the field that names people contains: the searched value, another value, none (the event is only linked by its key field), or a value that is not decrypted',
    )
    .optional(),
  event: z
    .unknown()
    .meta({ type: 'object' })
    .describe('as JSON; fields that are not decrypted are there as they are stored')
    .optional(),
  /** Why fields are not decrypted, by path. */
  notDecrypted: z.record(string, notDecrypted).optional(),
  unreadable: string.describe('why there is no event').optional(),
})
export type PersonEvent = z.infer<typeof personEvent>

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
      // Without the byte order mark, Excel reads UTF-8 as another encoding.
      head:
        '\uFEFF' +
        rowOf(['event', 'time', 'contract', 'field', 'value', 'note', 'purpose', 'person']),
      line({ time, contract, event, notDecrypted = {}, withdrawn = [], ...more }) {
        const { unreadable, purposes = {}, levels = {}, person = '' } = more
        number += 1
        const row = (path: string, value: string, note: string, purpose = ''): string =>
          rowOf([String(number), time, contract, path, value, note, cellOf(purpose), person])
        if (unreadable !== undefined) return row('', '', unreadable)
        return leavesOf(event, '', '')
          .filter(isOfUse)
          .map(({ path, field, value }) => {
            const why = notDecrypted[field]
            const level = levels[field]
            const purpose =
              level === undefined ? '' : (purposes[String(level)] ?? `level ${String(level)}`)
            if (why !== undefined) return row(path, inWords[why], `not decrypted: ${why}`, purpose)
            if (field !== consentField) return row(path, cellOf(value), '', purpose)
            const note = withdrawn.some((each) => each === value) ? 'withdrawn since' : ''
            return row('consent level', cellOf(value), note, purposes[String(value)])
          })
          .join('')
      },
    }
  },
}

/** The text in place of a value that is not decrypted. */
const inWords: Readonly<Record<NotDecrypted, string>> = {
  withdrawn: '(withdrawn)',
  level_not_served: '(encrypted)',
  corrupt: '(encrypted)',
}

/** Returns false for the fields of `svcMeta` except the consent levels. Time and contract have columns of their own. */
const isOfUse = ({ field }: Leaf): boolean =>
  field === consentField || !field.startsWith('svcMeta/')
const consentField = 'svcMeta/consentLevels'

/** `field` is the path in the contract, without the numbers of list elements. */
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
  // Without the quote, a spreadsheet would run the text as a formula, and events may come from anyone.
  return /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
}
