// Reads a service's configuration from the environment: parsed once at the start, and frozen. A wrong configuration
// stops the start with one message that names every wrong key and the expected value. The message never repeats a
// value, because it may be a secret.

import { z } from 'zod'

import { layersOf, notesOf } from './field-notes.ts'
import type { FieldNotes, FileRule } from './field-notes.ts'

export type Env = Readonly<Record<string, string | undefined>>

export type ConfigKey = {
  key: string
  description: string
  required: boolean
  /** The default, if there is one. */
  fallback?: unknown
} & Pick<FieldNotes, 'unit' | 'isSecret'>

/** Returns the problem of the file at this path, or undefined. */
export type FileCheck = (filePath: string, rule: FileRule) => string | undefined

/**
 * Parses `env` with the schema. An empty variable counts as unset. Throws an Error with all problems, including those
 * that `checkFile` finds in files.
 */
export function loadConfig<T>(schema: z.ZodType<T>, env: Env, checkFile?: FileCheck): T {
  const fields = fieldsOf(schema)
  const present = withoutBlanks(env, Object.keys(fields))
  const result = schema.safeParse(present)
  const problems = (result.error?.issues ?? []).map((issue) => ({
    key: String(issue.path[0] ?? ''),
    message: issue.message,
    isUnset: issue.code === 'invalid_type' && !Object.hasOwn(present, String(issue.path[0])),
  }))
  if (checkFile) problems.push(...fileProblems(fields, present, checkFile))
  if (!result.success || problems.length > 0) throw new Error(explain(problems, fields))
  return deepFreeze(result.data)
}

/** Lists the keys of a configuration schema, for generated documents. */
export function listConfigKeys(schema: z.ZodType): ConfigKey[] {
  return Object.entries(fieldsOf(schema)).map(([key, field]) => {
    const unset = field.safeParse(undefined)
    const { unit, isSecret } = notesOf(field)
    return {
      key,
      description: descriptionOf(field) ?? '',
      required: !unset.success,
      ...(unset.success && unset.data !== undefined ? { fallback: unset.data } : {}),
      ...(unit === undefined ? {} : { unit }),
      ...(isSecret === true ? { isSecret } : {}),
    }
  })
}

type Fields = Record<string, z.ZodType>
type Problem = { key: string; message: string; isUnset: boolean }

function withoutBlanks(env: Env, keys: string[]): Record<string, string> {
  const present: Record<string, string> = {}
  for (const key of keys) {
    const value = env[key]
    if (value !== undefined && value.trim() !== '') present[key] = value
  }
  return present
}

function fileProblems(fields: Fields, present: Record<string, string>, check: FileCheck) {
  const problems: Problem[] = []
  for (const [key, value] of Object.entries(present)) {
    const rule = fields[key] && notesOf(fields[key]).file
    const message = rule && check(value.trim(), rule)
    if (message !== undefined) problems.push({ key, message, isUnset: false })
  }
  return problems
}

function explain(problems: readonly Problem[], fields: Fields): string {
  const lines = problems.map(({ key, message, isUnset }) => {
    if (key === '') return `- ${message}`
    const field = fields[key]
    const description = field && descriptionOf(field)
    const problem = isUnset ? 'is not set' : `is wrong: ${message}`
    return `- ${key} ${problem}${description ? `. Set it to: ${description}` : ''}`
  })
  return `The configuration can't be used:\n${[...new Set(lines)].join('\n')}`
}

/** Returns the fields of the schema's object, even if a transform wraps the object. */
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
