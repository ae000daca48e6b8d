// Decides what `weir listen` shows: which events, which of their fields, and in which colours. The content of an event
// can't control the terminal.
import { InvalidArgumentError } from 'commander'
import { nearest } from '../../input/nearest.ts'
import { isObject, valueAt } from '../../json.ts'
import type { JsonObject } from '../../json.ts'
import { visible } from '../../terminal/table.ts'

export type Filter = { readonly path: string; readonly holds: (event: unknown) => boolean }

const matches: Readonly<Record<string, (text: string, wanted: string) => boolean>> = {
  '=': (text, wanted) => text === wanted,
  '~': (text, wanted) => text.includes(wanted),
}

/**
 * Parses filters such as `url~/products/`, `customer.id=42` and `eventType!=click`. There is no other syntax, so that a
 * filter can't be slow or run code.
 */
export function filterOf(text: string, before: readonly Filter[] = []): readonly Filter[] {
  const [, path, operator = '', wanted = ''] = /^([\w./]+)(!=|=|~)(.*)$/s.exec(text) ?? []
  if (path === undefined)
    throw new InvalidArgumentError('It must look like url~/products/, a.b=value or a.b!=value.')
  if (operator === '=' && wanted.startsWith('='))
    throw new InvalidArgumentError(`It must have one = only: ${path}${wanted}`)
  const steps = path.split(/[./]/)
  const matching = matches[operator] ?? matches['=']
  const has = (event: unknown): boolean =>
    textsOf(valueAt(event, ...steps)).some((found) => matching?.(found, wanted))
  const holds = operator === '!=' ? (event: unknown) => !has(event) : has
  return [...before, { path: steps.join('.'), holds }]
}

/** Returns the texts of a value. A list has the texts of its items. */
function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf)
  if (value === undefined) return []
  return [typeof value === 'string' ? value : JSON.stringify(value)]
}

export type ListenTally = {
  /** Returns a sentence if this is the first event, and it lacks fields. */
  count(event: unknown, isMatch: boolean): string | undefined
  sentence(): string
}

/**
 * Counts arrived and matching events, and finds fields that no event had, because their names may be misspelt.
 */
export function createTally(paths: readonly string[]): ListenTally {
  const unseen = new Set(paths)
  let arrived = 0
  let matched = 0
  return {
    count(event, isMatch) {
      arrived += 1
      if (isMatch) matched += 1
      for (const path of unseen)
        if (valueAt(event, ...path.split('.')) !== undefined) unseen.delete(path)
      if (arrived > 1 || unseen.size === 0) return undefined
      const known = pathsIn(event)
      const missing = [...unseen].map((path) => withMeant(path, nearest(path, known)))
      return `The first event has no field ${missing.join(' or ')}.`
    },
    sentence() {
      const numbers = `${arrived} ${arrived === 1 ? 'event' : 'events'} arrived, ${matched} matched.`
      if (arrived === 0 || unseen.size === 0) return numbers
      return `${numbers} None of them had the field ${[...unseen].join(', or ')}.`
    },
  }
}

const pathsIn = (value: unknown, above = ''): readonly string[] =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, member]) => [
        `${above}${name}`,
        ...pathsIn(member, `${above}${name}.`),
      ])
    : []

const withMeant = (path: string, meant: string | undefined): string =>
  meant === undefined ? path : `${path} (did you mean ${visible(meant)}?)`

export function fieldPath(text: string, before: readonly string[] = []): readonly string[] {
  if (!/^\w+([./]\w+)*$/.test(text))
    throw new InvalidArgumentError('It must look like url, a.b or a/b.')
  return [...before, text.replaceAll('/', '.')]
}

/** Returns only these fields, nested as in the event. Leaves out fields that the event lacks. */
export function pick(event: unknown, paths: readonly string[]): JsonObject {
  const picked: Record<string, unknown> = {}
  for (const path of paths) put(picked, path.split('.'), valueAt(event, ...path.split('.')))
  return picked
}

function put(
  into: Record<string, unknown>,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): void {
  if (value === undefined) return
  if (rest.length === 0) {
    define(into, name, value)
    return
  }
  const known = Object.hasOwn(into, name) ? into[name] : undefined
  const inner: Record<string, unknown> = isObject(known) ? { ...known } : {}
  put(inner, rest, value)
  define(into, name, inner)
}

/** Works for a field named `__proto__`, too. */
const define = (into: object, name: string, value: unknown): void =>
  void Object.defineProperty(into, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  })

const sgr = (code: number) => (text: string) => `\u001b[${code}m${text}\u001b[0m`
const paint = { name: sgr(36), number: sgr(33), word: sgr(35), dim: sgr(2) }

/** Returns the event as JSON in one line, with encrypted fields dimmed. */
export function coloured(event: unknown, keyLink = valueAt(event, 'svcMeta', 'keyLink')): string {
  const show = (value: unknown): string => {
    if (Array.isArray(value)) return `[${value.map(show).join(',')}]`
    if (isObject(value)) {
      const members = Object.entries(value)
      return `{${members.map(([name, member]) => `${paint.name(quoted(name))}:${show(member)}`).join(',')}}`
    }
    if (typeof value === 'string')
      return isSealed(value, keyLink) ? paint.dim(quoted(value)) : quoted(value)
    return (typeof value === 'number' ? paint.number : paint.word)(String(value))
  }
  return show(event)
}

const quoted = (text: string): string => visible(JSON.stringify(text))

const versionByte = 1
const bytesMin = 22

/**
 * Returns whether a text has the form of an encrypted field (docs/keys.md, An encrypted field), which contains the
 * start of the person's keyLink. Only for display.
 */
export function isSealed(text: string, keyLink: unknown): boolean {
  if (!/^A[A-Za-z0-9+/]{28,}={0,2}$/.test(text)) return false
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length < bytesMin || bytes[0] !== versionByte) return false
  return typeof keyLink !== 'number' || (bytes.readUInt32BE(1) & 0x7f_ff_ff_ff) === keyLink
}
