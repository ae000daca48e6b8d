// Converts the schemas of request bodies and responses to JSON Schema for OpenAPI documents. A body's schema checks it
// at run time. The compiler checks responses: the code that renders them has types inferred from their schemas.
import type { JsonSchema } from '@weir/docs'
import { z } from 'zod'

export const string = z.string()
export const count = z.int().min(0)
export const level = z.int().min(0).max(255)
export const time = z.iso.datetime()
export const listOf = <Item extends z.ZodType>(items: Item) => z.array(items).readonly()

/** `more` adds rules that the conversion leaves out. */
export function jsonSchemaOf(checked: z.ZodType, more: JsonSchema = {}): JsonSchema {
  const how = { io: 'input', unrepresentable: 'any', override: omitNoise } as const
  const { $schema: _, ...own } = z.toJSONSchema(checked, how)
  return { ...own, ...more }
}

/** Converts schemas by name. A response within another response becomes a reference. */
export function answerSchemasOf(answers: Readonly<Record<string, z.ZodType>>) {
  const named = z.registry<{ id: string }>()
  for (const [id, answer] of Object.entries(answers)) named.add(answer, { id })
  const uri = (id: string): string => `#/components/schemas/${id}`
  const { schemas } = z.toJSONSchema(named, { uri, override: omitNoise })
  for (const schema of Object.values(schemas)) {
    delete schema.$schema
    delete schema.$id
  }
  return schemas
}

/** Removes what the conversion adds, such as bounds and patterns that follow from type and format. */
function omitNoise({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern
  delete jsonSchema.propertyNames
  delete jsonSchema.readOnly
}

const isGranular = {
  properties: { consentLevelType: { const: 'GRANULAR' } },
  required: ['consentLevelType'],
}

/** Further rules for consent levels: no level twice, and only one level if the type is CUMULATIVE. */
export const levelRules = {
  allOf: [
    { properties: { consentLevels: { uniqueItems: true } } },
    { anyOf: [isGranular, { properties: { consentLevels: { type: 'array', maxItems: 1 } } }] },
  ],
}
