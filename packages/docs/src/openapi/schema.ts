// JSON Schemas of objects that list all their members, so that an answer with one more or one less doesn't match.
import type { JsonSchema, Parameter, RefusalForm } from './types.ts'

type Members = Readonly<Record<string, JsonSchema>>

export const object = (required: Members, optional: Members = {}): JsonSchema => ({
  type: 'object',
  properties: { ...required, ...optional },
  required: Object.keys(required),
  additionalProperties: false,
})

export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items })
export const mapOf = (values: JsonSchema): JsonSchema => ({
  type: 'object',
  additionalProperties: values,
})
export const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] })
export const oneOf = (...values: readonly string[]): JsonSchema => ({
  type: 'string',
  enum: values,
})
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

export const text: JsonSchema = { type: 'string' }
export const time: JsonSchema = { type: 'string', format: 'date-time' }
export const uuid: JsonSchema = { type: 'string', format: 'uuid' }
export const count: JsonSchema = { type: 'integer', minimum: 0 }
export const flag: JsonSchema = { type: 'boolean' }
export const level: JsonSchema = { type: 'integer', minimum: 0, maximum: 255 }

export const inPath = (name: string, says: string): Parameter => ({
  name,
  says,
  schema: { type: 'string', minLength: 1 },
})

export const json = (schema: JsonSchema) => ({ 'application/json': schema })

/** RFC 9457, with one of these codes as `code`. */
export const problemForm: RefusalForm = (codes) => ({
  'application/problem+json': {
    allOf: [ref('Problem'), { properties: { code: { enum: codes } } }],
  },
})

export const problemSchema: JsonSchema = object(
  {
    type: { type: 'string', format: 'uri', description: 'The page about the code' },
    title: text,
    status: { type: 'integer' },
    detail: text,
    code: text,
  },
  { problems: { ...listOf(text), description: 'One sentence for each thing that is wrong' } },
)
