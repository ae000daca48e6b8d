// Reads and writes the records of Weir's own topics, which are JSON: `{"type": "…", "version": 1, …}`
// (docs/formats.md). Each record type has one form, with a reader for each version. A record with an unknown type or
// version is an error; its content is never guessed.
import { isObject } from './guards.ts'
import type { Guard } from './guards.ts'
import { ControlStateError } from '../errors.ts'

/** Reads a record from its members without `version`. Returns undefined if they are invalid. */
type Reader<T> = (members: object) => T | undefined

export type Form<T> = {
  readonly type: string
  /** One reader for each version, the oldest first. Writers use the last version. */
  readonly versions: readonly Reader<T>[]
}

/**
 * @throws ControlStateError `control-state.record_not_known` for a type or version of another release,
 * `record_malformed` for a record that Weir didn't write. The message names the record, and says what to do.
 */
export type Parser<T> = (key: string, value: Buffer) => T

export const createForm = <T>(type: string, ...versions: readonly Reader<T>[]): Form<T> => ({
  type,
  versions,
})

/** Creates a reader that returns the members unchanged if they pass the guard. */
export const checked =
  <T>(guard: Guard<T>): Reader<T> =>
  (members) =>
    guard(members) ? members : undefined

/** Like `checked`, for records that are kept in memory without their type. */
export const untyped =
  <T>(guard: Guard<T>): Reader<T> =>
  (members) => {
    const { type: _, ...rest } = { type: undefined, ...members }
    return guard(rest) ? rest : undefined
  }

export const storedAs = <T extends object>({ type, versions }: Form<T>, record: T): Buffer =>
  Buffer.from(JSON.stringify({ type, version: versions.length, ...record }))

/** Creates the parser for a topic whose records have only these types. */
export function parserOf<T>(topic: string, forms: readonly Form<T>[]): Parser<T> {
  const byType = new Map(forms.map((form) => [form.type, form]))
  return (key, value) => {
    const { version, ...members } = membersOf(topic, key, value)
    const { type } = members
    const isVersion = typeof version === 'number' && Number.isSafeInteger(version) && version > 0
    if (typeof type !== 'string' || !isVersion) throw malformed(topic, key)
    const form = byType.get(type)
    if (form === undefined || version > form.versions.length)
      throw notKnown({ topic, key, type, version }, form?.versions.length)
    const record = form.versions[version - 1]?.(members)
    if (record === undefined) throw malformed(topic, key, `type ${type}, version ${version}`)
    return record
  }
}

function membersOf(topic: string, key: string, value: Buffer): Readonly<Record<string, unknown>> {
  let parsed: unknown
  try {
    parsed = JSON.parse(value.toString('utf8'))
  } catch {
    throw malformed(topic, key)
  }
  if (!isObject(parsed)) throw malformed(topic, key)
  return parsed
}

type What = {
  readonly topic: string
  readonly key: string
  readonly type: string
  readonly version: number
}

/** `knownVersion`: the newest known version of this type, if any. */
export const notKnown = (
  { topic, key, type, version }: What,
  knownVersion?: number,
): ControlStateError<'control-state.record_not_known'> =>
  new ControlStateError(
    'control-state.record_not_known',
    `${topic} contains a record of type ${quoted(type)}, version ${version} (key ${quoted(key)}), and this replica knows ` +
      `${knownVersion === undefined ? 'no such type' : `that type up to version ${knownVersion}`}: upgrade this replica`,
  )

export const malformed = (
  topic: string,
  key: string,
  what = 'a type and a version',
): ControlStateError<'control-state.record_malformed'> =>
  new ControlStateError(
    'control-state.record_malformed',
    `${topic} contains a record that Weir did not write (key ${quoted(key)}): it does not have the form of docs/formats.md for ` +
      `${what}; see docs/operations.md, Records that can't be read`,
  )

/** Quotes text of a record on one line, shortened to 100 characters. */
const quoted = (words: string): string => JSON.stringify(words.slice(0, 100))
