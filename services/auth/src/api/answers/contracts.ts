// The response about a contract. Its members have the names of the spec.
import { count, level, listOf, string, time } from '@weir/http-api'
import { z } from 'zod'

const schema = z.strictObject({
  schema_type: z.literal('avro'),
  schema_registry_ref: string,
  schema_registry_id: count,
  definition: z.unknown().meta({ type: ['object', 'string', 'array'] }),
})
const validation = z.strictObject({ field: string, type: z.literal('regex'), value: string })

export const contractAnswers = {
  Contract: z.strictObject({
    id: string,
    status: z.enum(['active', 'archived']),
    schema,
    validations: listOf(validation),
    key_field: string,
    pii_fields: z.record(string, level),
    data_subject_field: string.optional(),
    createdAt: time,
    warnings: listOf(string).optional(),
  }),
}
