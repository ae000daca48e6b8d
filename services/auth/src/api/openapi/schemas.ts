// The schemas in auth's OpenAPI document, derived from the zod schemas of responses and request bodies.
import type { JsonSchema } from '@weir/docs'
import { answerSchemasOf, jsonSchemaOf, levelRules, string } from '@weir/http-api'
import { z } from 'zod'
import { answersByName } from '../answers/answers.ts'
import * as bodies from '../bodies.ts'
import * as peopleBodies from '../people-bodies.ts'
import { purposesBody } from '../routes/purposes.ts'
import { refreshBody, secretsBody } from '../routes/tokens.ts'
import { verifyBody } from '../../verify/verify-body.ts'

const oneWayToName = {
  oneOf: ['keyFieldValue', 'keyFieldValues', 'subject', 'searchId'].map((name) => ({
    required: [name],
  })),
}

const { validations, key_field, pii_fields, data_subject_field } = answersByName.Contract.shape
/**
 * Only for the document: `prepareContract` checks contracts, because they have more rules than JSON Schema can express.
 */
const newContract = z.strictObject({
  id: string.min(1).describe('a short name, or <owner>/<name>/<version>'),
  schema: z.strictObject({
    schema_type: z.literal('avro'),
    schema_registry_ref: string,
    definition: z
      .unknown()
      .meta({ type: ['object', 'string'], description: 'an Avro record, as JSON or as its text' })
      .optional(),
  }),
  validations,
  key_field,
  pii_fields,
  data_subject_field,
})

const grant = z.strictObject({
  grant_type: z.literal('client_credentials'),
  client_id: string.optional(),
  client_secret: string.optional(),
})

/** Returns the schema for one of the names, or for a list of them. */
function scopeOf(...names: readonly string[]): JsonSchema {
  const name = { type: 'string', enum: names }
  return { anyOf: [name, { type: 'array', items: name, minItems: 1, uniqueItems: true }] }
}

/** The rule for `keyMaxAgeSeconds` in `outputBody`. */
const keyAgeOnlyForReaders = {
  anyOf: [
    { properties: { decryptAt: { const: 'reader' } }, required: ['decryptAt'] },
    { not: { required: ['keyMaxAgeSeconds'] } },
  ],
}

const requests = {
  // Strict only in the document. The routes ignore unknown members, because clients send back whole responses.
  TokenRequest: jsonSchemaOf(secretsBody.strict()),
  RefreshRequest: jsonSchemaOf(refreshBody.strict()),
  GrantRequest: jsonSchemaOf(grant),
  AccountRequest: jsonSchemaOf(bodies.accountBody),
  QuotasRequest: jsonSchemaOf(bodies.quotasBody),
  PurposesRequest: jsonSchemaOf(purposesBody),
  ApiKeyRequest: jsonSchemaOf(bodies.apiKeyBody),
  StreamRequest: jsonSchemaOf(bodies.streamBody({ eventRate: '100000', eventCount: '1000000000' })),
  StreamChange: jsonSchemaOf(bodies.streamPatch),
  OutputRequest: jsonSchemaOf(bodies.outputBody, {
    allOf: [...levelRules.allOf, keyAgeOnlyForReaders],
  }),
  RebuildRequest: jsonSchemaOf(bodies.rebuildBody),
  OutputChange: jsonSchemaOf(bodies.outputPatch),
  CredentialsRequest: jsonSchemaOf(bodies.credentialsBody, {
    properties: { scope: scopeOf('send', 'listen') },
  }),
  OutputCredentialsRequest: jsonSchemaOf(bodies.credentialsBody, {
    properties: { scope: scopeOf('listen') },
  }),
  ContractRequest: jsonSchemaOf(newContract),
  ErasureChange: jsonSchemaOf(peopleBodies.erasurePatch),
  ErasureRequest: jsonSchemaOf(peopleBodies.erasureBody, oneWayToName),
  SearchRequest: jsonSchemaOf(peopleBodies.searchBody),
  VerifyRequest: jsonSchemaOf(verifyBody),
  SubjectAccessRequest: jsonSchemaOf(peopleBodies.subjectAccessBody),
  SubjectRequest: jsonSchemaOf(peopleBodies.subjectBody),
  SigningKeysRequest: jsonSchemaOf(bodies.signingKeysBody),
}

export type RequestName = keyof typeof requests

export const schemas: Readonly<Record<string, JsonSchema>> = {
  ...answerSchemasOf(answersByName),
  ...requests,
}
