// Type-safe access to parsed YAML and JSON.

export type Json = Record<string, unknown>

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const arrayOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

export const objectsOf = (value: unknown): Json[] => arrayOf(value).filter(isJson)

/** Returns the value at a path of names and indexes; undefined if the path doesn't exist. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value
  for (const step of path) {
    if (typeof step === 'number') here = arrayOf(here)[step]
    else here = isJson(here) ? here[step] : undefined
  }
  return here
}

export function objectAt(value: unknown, ...path: readonly (string | number)[]): Json {
  const found = at(value, ...path)
  return isJson(found) ? found : {}
}

export function manifestTextAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path)
  return typeof found === 'string' || typeof found === 'number' ? String(found) : ''
}
