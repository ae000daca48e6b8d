// Checks options with a table that has one rule for each option. Errors name the missing, unknown or wrong option. They
// contain no values, because a value may be a secret.
import { isObject, memberOf } from './json.ts'

export type Rule = {
  /** The end of a message such as «contract must be …». */
  readonly what: string
  readonly fits: (value: unknown) => boolean
  readonly isRequired?: boolean
  /** Returns what the value seems to be instead, or undefined if nothing is recognised. */
  readonly looksLike?: (value: unknown) => string | undefined
}
export type Rules<Options> = { readonly [Name in keyof Options]-?: Rule }

/** @throws TypeError */
export function checkOptions<Options>(
  caller: string,
  options: Options,
  rules: Rules<NoInfer<Options>>,
): void {
  if (!isObject(options)) throw new TypeError(`${caller} needs an object with options`)
  const known = Object.entries<Rule>(rules)
  for (const name of Object.keys(options))
    if (!Object.hasOwn(rules, name)) throw unknownOption(caller, name, Object.keys(rules))
  for (const [name, { what, fits, isRequired, looksLike }] of known) {
    const value = options[name]
    if (value === undefined && isRequired)
      throw new TypeError(`${caller}: the option ${name} is missing. It must be ${what}`)
    if (value !== undefined && !fits(value))
      throw new TypeError(`${caller}: ${name} must be ${what}`)
    const looks = looksLike?.(value)
    if (looks !== undefined)
      throw new TypeError(`${caller}: ${name} must be ${what}; this looks like ${looks}`)
  }
}

// --- rules ---

export const required = (rule: Rule): Rule => ({ ...rule, isRequired: true })

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

export const text = (what: string): Rule => ({ what: `${what}, a string`, fits: isText })

export const address = (service: string, port: number): Rule => ({
  what: `the address of ${service}, such as 'http://127.0.0.1:${port}'`,
  fits: (value) =>
    typeof value === 'string' && /^https?:/i.test(value.trim()) && URL.canParse(value),
})

export const certificates: Rule = {
  what: 'CA certificates, in PEM',
  fits: (value) => isText(value) || value instanceof Uint8Array,
}

export const count: Rule = {
  what: 'a whole number above 0',
  fits: (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 1,
}

export const milliseconds: Rule = {
  what: 'a number of milliseconds, not below 0',
  fits: (value) => typeof value === 'number' && value >= 0,
}

export const callback: Rule = { what: 'a function', fits: (value) => typeof value === 'function' }

export const contractOrId: Rule = {
  what: "the content of a contract file (an object with id and schema), or a schema id such as 'clickstream'",
  fits: (value) => isText(value) || isText(memberOf(value, 'id')),
  looksLike: (value) => {
    if (typeof value !== 'string') return undefined
    if (value.trim().startsWith('{')) return 'JSON that is not parsed'
    return /\.json$/i.test(value)
      ? 'the name of a file, which this function does not read'
      : undefined
  },
}

// --- names ---

function unknownOption(caller: string, name: string, known: readonly string[]): TypeError {
  if (/token$/i.test(name) && known.includes('clientSecret')) {
    const how = 'It gets id tokens with billingId, clientId and clientSecret'
    return new TypeError(`${caller}: unknown option ${name}. ${how}`)
  }
  const edits = new Map(
    known.map((each) => [each, editsBetween(name.toLowerCase(), each.toLowerCase())]),
  )
  const [nearest] = [...edits].sort(([, one], [, other]) => one - other)
  const isNear =
    nearest !== undefined && nearest[1] < name.length && nearest[1] <= Math.max(2, name.length / 3)
  const meant = isNear ? `. Did you mean ${nearest[0]}?` : ''
  return new TypeError(`${caller}: unknown option ${name}${meant}`)
}

/** Levenshtein's distance. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const letter of one) {
    const [first = 0] = row
    const next = [first + 1]
    for (let at = 1; at <= other.length; at += 1) {
      const replaced = (row[at - 1] ?? 0) + (letter === other[at - 1] ? 0 : 1)
      next.push(Math.min((row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1, replaced))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
