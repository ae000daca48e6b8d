// The CSV files of a request that concerns many people: the list of people, and what was done. Pure.
import { parse } from 'papaparse'
import { csvFile } from '../../ui/csv-file.ts'

export const peopleMax = 100

/** The request for a person, from one line of the list or from all lines of the person. */
export type Asked = {
  readonly value: string
  readonly reference: string
  /** A day such as 2026-12-24, or empty. */
  readonly dueOn: string
}

export type Listed = {
  readonly asked: Asked
  /** The person's lines in the list, for the results. */
  readonly lines: readonly Asked[]
  /** The requests that a file of results has for the person. */
  readonly requested: readonly Requested[]
}

export type Requested = { readonly stream: string; readonly id: string }

export type PeopleFile = {
  readonly people: readonly Listed[]
  /** What an officer must know before the lines are used; one sentence each. */
  readonly notes: readonly string[]
  /** One sentence each. If there is any problem, no line may be used. */
  readonly problems: readonly string[]
}

type Line = Asked & {
  /** The number of its first line in the file. */
  readonly at: number
  /** Whether a column without a name contains text, for example because a value contains the separator. */
  readonly isLonger: boolean
  /** The due date as written in the file. */
  readonly due: string
  readonly request: Requested
}

/**
 * Reads a list with the columns value, reference and due. Only value is required. This column may instead have the name
 * of one of `fields`, by which people are searched. A file of results is such a list, too. It has a line for each
 * person and stream, with the request.
 */
export function readPeople(text: string, fields: readonly string[] = []): PeopleFile {
  const [head, ...rows] = rowsIn(text)
  const written = head?.cells.map((name) => name.trim()) ?? []
  const names = namedIn(
    written.map((name) => name.toLowerCase()),
    fields,
  )
  const isResults = names.includes('salt')
  const all = rows.map((row) => lineOf(row, names))
  const lines = isResults ? all.map(withoutApostrophe) : all
  const people = [...Map.groupBy(lines, ({ value }) => value).values()]
  const problem = refusalOf({ text, written, names, fields }) ?? countRefusalOf(people.length)
  if (problem !== undefined) return { people: [], notes: [], problems: [problem] }
  return {
    people: people.map((of) => ({
      ...personOf(isResults ? of.slice(0, 1) : of),
      requested: of.map(({ request }) => request).filter(({ id }) => isId.test(id)),
    })),
    notes: isResults
      ? []
      : [...columnNote(written[names.indexOf('value')]), ...people.filter(isOften).map(noteOf)],
    problems: lines.flatMap(problemsOf),
  }
}

/** Without a column value, renames the only column with the name of a field to value. */
function namedIn(names: readonly string[], fields: readonly string[]): readonly string[] {
  const known = new Set(fields.map((field) => field.toLowerCase()))
  const ofField = names.filter((name) => known.has(name) && !['reference', 'due'].includes(name))
  return names.includes('value') || ofField.length !== 1
    ? names
    : names.map((name) => (name === ofField[0] ? 'value' : name))
}

/** A request's id is checked, because it becomes a part of an address. */
const isId = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

const columnNote = (name = ''): readonly string[] =>
  name.toLowerCase() === 'value'
    ? []
    : [`The values are read from the column ${name}. The search compares them with all fields.`]

const isOften = (lines: readonly Line[]): boolean => lines.length > 1

type Row = { readonly at: number; readonly cells: readonly string[] }

/** Returns the rows that are not empty. A cell in quotes may have several lines. */
function rowsIn(text: string): readonly Row[] {
  let at = 1
  const plain = text.replace(/^\uFEFF/, '')
  return parse<string[]>(plain, { delimiter: separatorOf(plain) })
    .data.map((cells) => {
      const row = { at, cells }
      at += 1 + (cells.join().match(/\r\n|\r|\n/g) ?? []).length
      return row
    })
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
}

/** Finds the separator in the names of the columns, because values may contain separators, too. */
function separatorOf(text: string): string {
  const head = text.split(/[\r\n]/).find((line) => line.trim() !== '') ?? ''
  return /[,;\t]/.exec(head.replaceAll(/"[^"]*"/g, ''))?.[0] ?? ','
}

function lineOf({ at, cells }: Row, names: readonly string[]): Line {
  const cellOf = (name: string): string => cells[names.indexOf(name)] ?? ''
  return {
    at,
    value: cellOf('value'),
    reference: cellOf('reference').trim(),
    dueOn: dayIn(cellOf('due').trim()),
    due: cellOf('due').trim(),
    request: { stream: cellOf('stream'), id: cellOf('erasure').trim() },
    isLonger: cells.slice(names.length).some((cell) => cell.trim() !== ''),
  }
}

/** Removes the apostrophe that files of results have before texts that look like formulas. */
const withoutApostrophe = ({ value, reference, ...line }: Line): Line => ({
  ...line,
  value: value.replace(formulaEscape, ''),
  reference: reference.replace(formulaEscape, ''),
})
const formulaEscape = /^'(?=[=+\-@\t\r])/

/** Merges a person's lines, because a request has one reference and one due date. */
function personOf(lines: readonly Line[]): Omit<Listed, 'requested'> {
  const [value = ''] = lines.map((line) => line.value)
  const reference = lines.map((line) => line.reference).find((text) => text !== '') ?? ''
  const [dueOn = ''] = lines
    .map((line) => line.dueOn)
    .filter((day) => day !== '')
    .toSorted()
  return {
    asked: { value, reference, dueOn },
    lines: lines.map((line) => ({ value, reference: line.reference, dueOn: line.dueOn })),
  }
}

function noteOf(lines: readonly Line[]): string {
  const numbers = lines.map(({ at }) => at)
  const listed = `${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}`
  const differ = ({ dueOn, reference }: Line): boolean =>
    dueOn !== lines[0]?.dueOn || reference !== lines[0].reference
  return `Lines ${listed} name the same person, who is erased once.${
    lines.some(differ) ? ' The request has their first reference and their earliest due date.' : ''
  }`
}

const lineMax = 200

type Head = {
  readonly text: string
  /** The names of the columns as written in the file. */
  readonly written: readonly string[]
  readonly names: readonly string[]
  readonly fields: readonly string[]
}

/** Returns why no line can be read; undefined if lines can be read. */
function refusalOf({ text, written, names, fields }: Head): string | undefined {
  if (text.startsWith(zipSignature))
    return 'This is an Excel workbook: in Excel, save it as CSV UTF-8, and choose that file.'
  if (text.includes('\uFFFD'))
    return 'The file has characters that are not UTF-8. Save it as CSV in UTF-8.'
  if (names.includes('value')) return undefined
  const read = written.length === 0 ? 'The file is empty.' : `It is: ${written.join(', ')}`
  return `The first line must name the columns: value, or value,reference,due. Instead of value, one column may have the name of a field by which people are searched${hereOf(fields)}. ${read.slice(0, lineMax)}`
}

/** A workbook is a zip file. */
const zipSignature = 'PK\u0003\u0004'

const fieldsMax = 12

function hereOf(fields: readonly string[]): string {
  const all = [...new Set(fields)]
  const shown = all.length > fieldsMax ? [...all.slice(0, fieldsMax), '…'] : all
  return all.length === 0 ? '' : `, here: ${shown.join(', ')}`
}

function countRefusalOf(count: number): string | undefined {
  if (count === 0) return 'The file names nobody.'
  if (count > peopleMax) return `The file has ${count} people. At most ${peopleMax} are possible.`
  return undefined
}

function problemsOf({ at, value, reference, due, dueOn, isLonger }: Line): readonly string[] {
  const wrong = [
    value === '' ? 'has no value' : '',
    isLonger ? 'has more columns than the first line: put a value with a separator in quotes' : '',
    reference.length > 200 ? 'has a reference of more than 200 characters' : '',
    dueOn === '' || isDay(dueOn) ? '' : `is due on ${due}: ${dayRefusalOf(dueOn)}`,
  ]
  return wrong.filter((text) => text !== '').map((text) => `Line ${at} ${text}.`)
}

/** Converts 24.12.2026 and 24-12-2026, the forms of many spreadsheets, to 2026-12-24. */
const dayIn = (text: string): string =>
  text.replace(/^(\d\d?)([.-])(\d\d?)\2(\d{4})$/, (_, day, _separator, month, year) =>
    [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-'),
  )

const dayShape = /^\d{4}-\d\d-\d\d$/

const dayRefusalOf = (dueOn: string): string =>
  dayShape.test(dueOn) ? 'there is no such day' : 'write a day such as 2026-12-24 or 24.12.2026'

const isDay = (text: string): boolean =>
  dayShape.test(text) && new Date(text).toJSON()?.slice(0, 10) === text

/** What was done for a person in a stream. */
export type Outcome = Asked & {
  readonly stream: string
  readonly events: number
  /** The outputs that decrypt fields, each with the number of events found. */
  readonly outputs: string
  /**
   * The last day on which one of these outputs may contain decrypted values, or `unknown`. Empty without such values.
   */
  readonly keptUntil: string
  readonly erasure: string
  readonly salt: string
  /** Why nothing was done; empty if something was. */
  readonly problem: string
}

export const outcomesFile = (outcomes: readonly Outcome[]): string =>
  csvFile(
    outcomes.map(({ dueOn, keptUntil, ...outcome }) => ({
      ...outcome,
      due: dueOn,
      outputs_keep_until: keptUntil,
    })),
    [
      'value',
      'reference',
      'due',
      'stream',
      'events',
      'outputs',
      'outputs_keep_until',
      'erasure',
      'salt',
      'problem',
    ],
  )
