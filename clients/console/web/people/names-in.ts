// Counts the events of a person's copy by whom they name. Pure.
import { objectOf, textOf } from '../api/json.ts'
import { many } from '../ui/words.ts'

export type Names = {
  readonly searched: number
  readonly linked: number
  readonly encrypted: number
  /** The number of events by the other value that they have. */
  readonly others: ReadonlyMap<string, number>
}

/** `lines`: the copy, an event on each line. `by`: which field names people, by contract. */
export function namesIn(
  lines: string,
  by: readonly { readonly contract: string; readonly field: string }[],
): Names {
  const fields = new Map(by.map(({ contract, field }) => [contract, field]))
  const counts = { searched: 0, linked: 0, encrypted: 0 }
  const others = new Map<string, number>()
  for (const line of lines.split('\n')) {
    if (line === '') continue
    const { person, contract, event } = objectOf(JSON.parse(line))
    if (person === 'searched' || person === 'linked' || person === 'encrypted') counts[person] += 1
    if (person !== 'other') continue
    const name = valueAt(event, fields.get(textOf(contract)) ?? '')
    others.set(name, (others.get(name) ?? 0) + 1)
  }
  return { ...counts, others }
}

const valueAt = (event: unknown, path: string): string =>
  textOf(path.split('/').reduce((value, name) => objectOf(value)[name], event))

const shownMax = 10

export function namesInWords({ searched, linked, encrypted, others }: Names): string {
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
  const all = [searched, linked, encrypted, ...others.values()].reduce((sum, each) => sum + each)
  return `In ${many(all, 'event')}: ${parts.join('; ')}.`
}
