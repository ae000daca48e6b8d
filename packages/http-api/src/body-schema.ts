// Bodies in OpenAPI documents: what checks a body is what tells of it.
import type { JsonSchema } from '@weir/docs'
import { z } from 'zod'

/** What JSON Schema has no words for is in `more`. */
export function bodySchemaOf(checked: z.ZodType, more: JsonSchema = {}): JsonSchema {
  const { $schema: _, ...own } = z.toJSONSchema(checked, { io: 'input', unrepresentable: 'any' })
  return { ...own, ...more }
}

const isGranular = {
  properties: { consentLevelType: { const: 'GRANULAR' } },
  required: ['consentLevelType'],
}

/** What is asked of consent levels beside their form: each once, and one alone where the type is CUMULATIVE. */
export const levelRules = {
  allOf: [
    { properties: { consentLevels: { uniqueItems: true } } },
    { anyOf: [isGranular, { properties: { consentLevels: { type: 'array', maxItems: 1 } } }] },
  ],
}
