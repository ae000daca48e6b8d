// JSON Schemas of parameters, and of the refusals that all operations have in common.
import type { JsonSchema, Parameter, RefusalForm } from './types.ts'

export const oneOf = (...values: readonly string[]): JsonSchema => ({
  type: 'string',
  enum: values,
})
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

export const text: JsonSchema = { type: 'string' }
export const time: JsonSchema = { type: 'string', format: 'date-time' }

export const inPath = (name: string, says: string): Parameter => ({
  name,
  says,
  schema: { type: 'string', minLength: 1 },
})

export const json = (schema: JsonSchema) => ({ 'application/json': schema })

/** Problem documents (RFC 9457) with one of these codes as `code`. */
export const problemForm: RefusalForm = (codes) => ({
  'application/problem+json': {
    allOf: [ref('Problem'), { properties: { code: { enum: codes } } }],
  },
})
