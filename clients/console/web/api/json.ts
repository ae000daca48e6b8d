// Responses are unknown JSON. These functions return an empty value if the expected type is missing.

export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const objectOf = (value: unknown): Json => (isObject(value) ? value : {})

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)

export const numbersOf = (value: unknown): readonly number[] =>
  listOf(value).filter((item) => typeof item === 'number')

/** Returns undefined if the text isn't a JSON object. */
export function parseObject(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Returns the value at a path such as `customer/id`; undefined if there is none. */
export function valueAt(event: unknown, path: string): unknown {
  let value = event
  for (const name of path.split('/')) value = isObject(value) ? value[name] : undefined
  return value
}
