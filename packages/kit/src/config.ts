// Reads a service's configuration from the environment: parsed once at start, frozen for good.
// A wrong configuration stops the boot with one message that names every bad key and what it wants.
// The message never repeats a value: it may be a secret.

import { z } from 'zod'

export type ConfigKey = {
  key: string
  description: string
  required: boolean
  /** What holds when the key is unset; absent when nothing does. */
  fallback?: unknown
}

/** Parses `env` with the schema. An empty variable counts as unset. Throws an Error listing all problems. */
export function loadConfig<T>(
  schema: z.ZodType<T>,
  env: Readonly<Record<string, string | undefined>>,
): T {
  const fields = fieldsOf(schema)
  const result = schema.safeParse(withoutBlanks(env, Object.keys(fields)))
  if (!result.success) throw new Error(explain(result.error.issues, fields, env))
  return deepFreeze(result.data)
}

/** The keys of a configuration schema, so that documentation can be checked against them. */
export function listConfigKeys(schema: z.ZodType): ConfigKey[] {
  return Object.entries(fieldsOf(schema)).map(([key, field]) => {
    const unset = field.safeParse(undefined)
    const entry = { key, description: descriptionOf(field) ?? '', required: !unset.success }
    return unset.success && unset.data !== undefined ? { ...entry, fallback: unset.data } : entry
  })
}

type Fields = Record<string, z.ZodType>

function withoutBlanks(env: Readonly<Record<string, string | undefined>>, keys: string[]) {
  const present = keys.filter((key) => env[key] !== undefined && env[key].trim() !== '')
  return Object.fromEntries(present.map((key) => [key, env[key]]))
}

function explain(
  issues: readonly z.core.$ZodIssue[],
  fields: Fields,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const lines = issues.map((issue) => {
    const key = String(issue.path[0] ?? '')
    if (key === '') return `- ${issue.message}`
    const unset = env[key] === undefined || env[key].trim() === ''
    const problem =
      unset && issue.code === 'invalid_type' ? 'is not set' : `is wrong: ${issue.message}`
    const field = fields[key]
    const description = field && descriptionOf(field)
    return `- ${key} ${problem}${description ? `. Set it to: ${description}` : ''}`
  })
  return `The configuration can't be used:\n${[...new Set(lines)].join('\n')}`
}

/** The object's fields, also when the object is wrapped in a transform. */
function fieldsOf(schema: z.ZodType): Fields {
  for (const layer of layersOf(schema)) {
    if (layer instanceof z.ZodObject) return zodTypesIn(layer.shape)
  }
  return {}
}

function zodTypesIn(shape: Readonly<Record<string, unknown>>): Fields {
  const fields: Fields = {}
  for (const [key, field] of Object.entries(shape)) {
    if (field instanceof z.ZodType) fields[key] = field
  }
  return fields
}

function descriptionOf(schema: z.ZodType): string | undefined {
  for (const layer of layersOf(schema)) {
    if (layer.description !== undefined) return layer.description
  }
  return undefined
}

/** A schema and what it wraps (default, optional, transform), outermost first. */
function* layersOf(schema: z.ZodType): Generator<z.ZodType> {
  let layer: unknown = schema
  while (layer instanceof z.ZodType) {
    yield layer
    const def: object = layer.def
    layer = 'innerType' in def ? def.innerType : 'in' in def ? def.in : undefined
  }
}

function deepFreeze<T>(value: T): T {
  if (Array.isArray(value)) value.forEach(deepFreeze)
  else if (isPlainObject(value)) Object.values(value).forEach(deepFreeze)
  else return value
  return Object.freeze(value)
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
