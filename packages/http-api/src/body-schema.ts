// Request bodies in OpenAPI documents, generated from the schemas that check them.
import type { JsonSchema } from '@weir/docs'
import { z } from 'zod'

/** `more`: rules that the conversion leaves out. */
export function bodySchemaOf(checked: z.ZodType, more: JsonSchema = {}): JsonSchema {
  const { $schema: _, ...own } = z.toJSONSchema(checked, { io: 'input', unrepresentable: 'any' })
  return { ...own, ...more }
}

const isGranular = {
  properties: { consentLevelType: { const: 'GRANULAR' } },
  required: ['consentLevelType'],
}

/** Rules for consent levels besides their form: each once, and only one if the type is CUMULATIVE. */
export const levelRules = {
  allOf: [
    { properties: { consentLevels: { uniqueItems: true } } },
    { anyOf: [isGranular, { properties: { consentLevels: { type: 'array', maxItems: 1 } } }] },
  ],
}
