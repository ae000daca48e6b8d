// Counts the events of a person's copy by the person whom they name, also for each value of the key field. Pure.
import { objectOf, textOf } from '../api/json.ts'
import { many } from '../ui/words.ts'

/** The number of events, by the person whom they name. */
export type Names = {
  readonly searched: number
  readonly linked: number
  readonly encrypted: number
  /** Events that name somebody else, by that person's value. */
  readonly others: ReadonlyMap<string, number>
}

/** The key field of a contract, and the field that names people. */
export type NamingFields = {
  readonly contract: string
  readonly field: string
  readonly keyField: string
}

/** `lines`: the copy, one event per line. */
export function namesIn(
  lines: string,
  by: readonly NamingFields[],
): { readonly all: Names; readonly byKey: ReadonlyMap<string, Names> } {
  const fields = new Map(by.map((each) => [each.contract, each]))
  const all = counting()
  const byKey = new Map<string, Counting>()
  for (const line of lines.split('\n')) {
    if (line === '') continue
    const { person, contract, event } = objectOf(JSON.parse(line))
    if (typeof person !== 'string') continue
    const { field = '', keyField = '' } = fields.get(textOf(contract)) ?? {}
    const key = valueAt(event, keyField)
    const ofKey = byKey.get(key) ?? counting()
    byKey.set(key, ofKey)
    for (const counts of [all, ofKey]) add(counts, person, valueAt(event, field))
  }
  return { all, byKey }
}

const counting = () => ({ searched: 0, linked: 0, encrypted: 0, others: new Map<string, number>() })
type Counting = ReturnType<typeof counting>

function add(counts: Counting, person: string, name: string): void {
  if (person === 'searched' || person === 'linked' || person === 'encrypted') counts[person] += 1
  if (person === 'other') counts.others.set(name, (counts.others.get(name) ?? 0) + 1)
}

const valueAt = (event: unknown, path: string): string => {
  const value = path.split('/').reduce((at, name) => objectOf(at)[name], event)
  return typeof value === 'number' ? String(value) : textOf(value)
}

const shownMax = 10

const countOf = ({ searched, linked, encrypted, others }: Names): number =>
  [searched, linked, encrypted, ...others.values()].reduce((sum, each) => sum + each)

export const namesInWords = (names: Names): string =>
  `In ${many(countOf(names), 'event')}: ${whomInWords(names)}.`

function whomInWords({ searched, linked, encrypted, others }: Names): string {
  const shown = [...others]
    .slice(0, shownMax)
    .map(([name, count]) => `${name === '' ? 'another value' : name} in ${count}`)
  const left = [...others.values()].slice(shownMax).reduce((sum, count) => sum + count, 0)
  const parts = [
    `this value in ${searched}`,
    ...shown,
    ...(left > 0 ? [`other values in ${left}`] : []),
    ...(linked > 0 ? [`no value in ${linked}`] : []),
    ...(encrypted > 0 ? [`a value that cannot be decrypted in ${encrypted}`] : []),
  ]
  return parts.join('; ')
}

const rowsMax = 50

/** Returns rows for the values of the key field with the most events, and the number of further values. */
export function rowsOf(byKey: ReadonlyMap<string, Names>) {
  const rows = [...byKey]
    .map(([key, names]) => ({ key, events: countOf(names), whom: whomInWords(names) }))
    .toSorted((a, b) => b.events - a.events)
  return { rows: rows.slice(0, rowsMax), more: Math.max(0, rows.length - rowsMax) }
}
