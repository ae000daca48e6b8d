// The CSV files of a request that concerns many people: the list of people, and what was done. Pure.
import { parse } from 'papaparse'
import { csvFile } from '../../ui/csv-file.ts'

export const peopleMax = 100

/** A line of the list. */
export type Asked = {
  readonly value: string
  readonly reference: string
  /** A day such as 2026-12-24, or empty. */
  readonly dueOn: string
}

export type PeopleFile = {
  readonly people: readonly Asked[]
  /** One sentence each. If there is one, no line may be used. */
  readonly problems: readonly string[]
}

type Line = Asked & {
  /** The number of its first line in the file. */
  readonly at: number
}

/**
 * Reads a list with the columns value, reference and due, of which only value is required. A file of results is such a
 * list, too: it names each person once for each stream.
 */
export function readPeople(text: string): PeopleFile {
  const [head, ...rows] = rowsIn(text)
  const names = head?.cells.map((name) => name.trim().toLowerCase()) ?? []
  const isResults = names.includes('salt')
  const lines = rows.map(({ at, cells }) => lineOf(at, (name) => cells[names.indexOf(name)] ?? ''))
  const all = isResults ? eachOnce(lines.map(withoutApostrophe)) : lines
  const problem = refusalOf(text, names, all.length)
  if (problem !== undefined) return { people: [], problems: [problem] }
  return {
    people: all.map(({ value, reference, dueOn }) => ({ value, reference, dueOn })),
    problems: all.flatMap((line) => problemsOf(line, all)),
  }
}

type Row = { readonly at: number; readonly cells: readonly string[] }

/** Without empty rows. A cell in quotes may have several lines. */
function rowsIn(text: string): readonly Row[] {
  let at = 1
  const plain = text.replace(/^\uFEFF/, '')
  // Empty lines would mislead the guess. The lines are counted, so they stay otherwise.
  const { delimiter } = parse(plain, { skipEmptyLines: 'greedy', preview: 1 }).meta
  return parse<string[]>(plain, { delimiter })
    .data.map((cells) => {
      const row = { at, cells }
      at += 1 + (cells.join().match(/\r\n|\r|\n/g) ?? []).length
      return row
    })
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
}

const lineOf = (at: number, cellOf: (name: string) => string): Line => ({
  at,
  value: cellOf('value'),
  reference: cellOf('reference').trim(),
  dueOn: dayIn(cellOf('due').trim()),
})

/** Files of results have an apostrophe before a text that a spreadsheet would take for a formula. */
const withoutApostrophe = ({ value, reference, ...line }: Line): Line => ({
  ...line,
  value: value.replace(formulaEscape, ''),
  reference: reference.replace(formulaEscape, ''),
})
const formulaEscape = /^'(?=[=+\-@\t\r])/

const eachOnce = (lines: readonly Line[]): readonly Line[] =>
  lines.filter(({ value }, index) => lines.findIndex((other) => other.value === value) === index)

/** Why no line can be read. */
function refusalOf(text: string, names: readonly string[], count: number): string | undefined {
  if (text.includes('\uFFFD'))
    return 'The file has characters that are not UTF-8. Save it as CSV in UTF-8.'
  if (!names.includes('value'))
    return 'The first line must name the columns: value, and if you like reference, due.'
  if (count === 0) return 'The file names nobody.'
  if (count > peopleMax) return `The file has ${count} people. At most ${peopleMax} are possible.`
  return undefined
}

function problemsOf({ at, value, reference, dueOn }: Line, all: readonly Line[]) {
  const first = all.find((other) => other.value === value)?.at ?? at
  const wrong = [
    value === '' ? 'has no value' : '',
    value !== '' && first < at ? `has the same person as line ${first}: delete one of them` : '',
    reference.length > 200 ? 'has a reference of more than 200 characters' : '',
    dueOn === '' || isDay(dueOn)
      ? ''
      : `is due on ${dueOn}: write a day such as 2026-12-24 or 24.12.2026`,
  ]
  return wrong.filter((text) => text !== '').map((text) => `Line ${at} ${text}.`)
}

/** As spreadsheets write it in many countries: 24.12.2026. */
const dayIn = (text: string): string =>
  text.replace(/^(\d\d?)\.(\d\d?)\.(\d{4})$/, (_, day, month, year) =>
    [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-'),
  )

const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(text).toJSON()?.slice(0, 10) === text

/** What was done for one person in one stream. */
export type Outcome = Asked & {
  readonly stream: string
  readonly events: number
  /** The outputs that decrypt fields, with the events that were found in each. */
  readonly outputs: string
  readonly erasure: string
  readonly salt: string
  /** Why it was not done; otherwise empty. */
  readonly problem: string
}

export const outcomesFile = (outcomes: readonly Outcome[]): string =>
  csvFile(
    outcomes.map(({ dueOn, ...outcome }) => ({ ...outcome, due: dueOn })),
    ['value', 'reference', 'due', 'stream', 'events', 'outputs', 'erasure', 'salt', 'problem'],
  )
