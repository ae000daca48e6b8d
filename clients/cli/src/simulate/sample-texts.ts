// Returns plausible texts for a field's name that pass the field's validations. Pure.
import { misuse } from '../errors.ts'

const agents = [
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0',
]
const actions = ['view', 'click', 'scroll', 'add_to_cart', 'purchase']

/** `person` is constant in a session; `turn` increases with each event. */
export type Moment = { readonly person: number; readonly turn: number }
type Sample = (moment: Moment, name: string) => string

const url: Sample = ({ turn }) => `https://shop.example.com/products/${turn % 1_000}`
const mail: Sample = ({ person }) => `person-${person}@example.com`
const id: Sample = ({ person }, name) => `${name}-${String(person).padStart(6, '0')}`
const digits: Sample = ({ person }) => String(100_000 + person)
const uuid: Sample = ({ person }) => `00000000-0000-4000-8000-${String(person).padStart(12, '0')}`
const word: Sample = ({ turn }) => `sample ${turn % 100}`
const letters: Sample = () => 'sample'
const capitals: Sample = () => 'DE'
const version: Sample = ({ person }) => `1.${person % 10}.0`
const date: Sample = ({ turn }) => new Date(1_767_225_600_000 + turn * 1_000).toISOString()
const day: Sample = (moment, name) => date(moment, name).slice(0, 10)
const phone: Sample = ({ person }) => `+4930${String(100_000 + person)}`

/** By the field's name; the first match counts. */
const hints: readonly (readonly [RegExp, Sample])[] = [
  [/url|uri|href|referrer|link$/i, url],
  [/mail/i, mail],
  [/agent/i, ({ person }) => agents[person % agents.length] ?? ''],
  [/uuid/i, uuid],
  [/phone|mobile/i, phone],
  [/time|date/i, date],
  [/country|lang|locale|currency/i, capitals],
  [/version/i, version],
  [/action|event|type$/i, ({ turn }) => actions[turn % actions.length] ?? ''],
  [/id$|session|device|customer|user|person|key/i, id],
]

/** Tried if the sample for the name does not pass the validations. */
const others = [id, word, letters, url, mail, digits, uuid, date, day, capitals, version, phone]

/** @throws CliError if no sample passes: then the user must provide events */
export function textFor(path: string, patterns: readonly RegExp[]): (moment: Moment) => string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const hinted = hints.find(([pattern]) => pattern.test(name))?.[1] ?? word
  const passes = (text: string): boolean => patterns.every((pattern) => pattern.test(text))
  const samples = [hinted, ...others]
  const some: Moment = { person: 1, turn: 1 }
  const fitting = samples.find((sample) => passes(sample(some, name)))
  if (fitting === undefined)
    throw misuse(
      `no sample passes the validation of ${path}`,
      'Send your own events with `weir send`, from a file or standard input.',
    )
  return (moment) => fitting(moment, name)
}
