// The CSV files of a request that concerns many people: the list of people, and what was done. Pure.
import { parse, unparse } from 'papaparse'

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

/** Reads a list with the columns value, reference and due, of which only value is required. */
export function readPeople(text: string): PeopleFile {
  const { data, meta } = parse<Record<string, string>>(text, {
    header: true,
    transformHeader: (name) => name.trim().toLowerCase(),
    skipEmptyLines: 'greedy',
  })
  const refused = (problem: string): PeopleFile => ({ people: [], problems: [problem] })
  if (text.includes('\uFFFD'))
    return refused('The file has characters that are not UTF-8. Save it as CSV in UTF-8.')
  if (!meta.fields?.includes('value'))
    return refused('The first line must name the columns: value, and if you like reference, due.')
  if (data.length === 0) return refused('The file names nobody.')
  if (data.length > peopleMax)
    return refused(`The file has ${data.length} people. At most ${peopleMax} are possible.`)
  const people = data.map((line) => ({
    value: line['value'] ?? '',
    reference: (line['reference'] ?? '').trim(),
    dueOn: dayIn((line['due'] ?? '').trim()),
  }))
  return { people, problems: people.flatMap((one, index) => problemsOf(one, index, people)) }
}

function problemsOf({ value, reference, dueOn }: Asked, index: number, all: readonly Asked[]) {
  const wrong = [
    value === '' ? 'has no value' : '',
    all.findIndex((other) => other.value === value) < index
      ? 'names a person of an earlier line'
      : '',
    reference.length > 200 ? 'has a reference of more than 200 characters' : '',
    dueOn === '' || isDay(dueOn)
      ? ''
      : `is due on ${dueOn}: write a day such as 2026-12-24 or 24.12.2026`,
  ]
  return wrong.filter((text) => text !== '').map((text) => `Person ${index + 1} ${text}.`)
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

/** Texts that a spreadsheet would take for a formula get an apostrophe. No salt is one. */
export const outcomesFile = (outcomes: readonly Outcome[]): string =>
  unparse(
    outcomes.map(({ dueOn, ...outcome }) => ({ ...outcome, due: dueOn })),
    {
      columns: [
        'value',
        'reference',
        'due',
        'stream',
        'events',
        'outputs',
        'erasure',
        'salt',
        'problem',
      ],
      escapeFormulae: true,
    },
  )
