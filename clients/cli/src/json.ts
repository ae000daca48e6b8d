// Reads JSON of unknown shape: responses of services, the profile, the demo's file. For a missing member, or a member
// of another type, functions return undefined or an empty list. Only `parseJson` throws.
import { failure } from './errors.ts'

export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads only own members, so that a stream may be named `constructor`. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let current = value
  for (const key of path) {
    if (!isObject(current) || !Object.hasOwn(current, key)) return undefined
    current = current[key]
  }
  return current
}

export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = valueAt(value, ...path)
  return typeof found === 'string' ? found : undefined
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = valueAt(value, ...path)
  return Array.isArray(found) ? found : []
}

export const textsAt = (value: unknown, ...path: readonly string[]): readonly string[] =>
  listAt(value, ...path).filter((item) => typeof item === 'string')

/** Does not use the parser's message, which quotes the text and so may contain a secret. */
export function parseJson(text: string, what: string, ...advice: string[]): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw failure(`${what} isn't JSON`, ...advice)
  }
}

export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
