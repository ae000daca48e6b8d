// The JSON Schemas of auth's responses, except streams, and of its request bodies. Those of the bodies are generated
// from the schemas that check them.
import { schema } from '@weir/docs'
import type { JsonSchema } from '@weir/docs'
import { defaultQuotas, roles } from '@weir/control-state'
import { jsonSchemaOf, levelRules } from '@weir/http-api'
import * as bodies from '../bodies.ts'
import { verifyBody } from '../../verify/verify-body.ts'
import { streamSchemas } from './streams.ts'

const { count, flag, level, listOf, mapOf, object, oneOf, orNull, ref, text, time, uuid } = schema

const oneWayToName = {
  oneOf: ['keyFieldValue', 'keyFieldValues', 'subject', 'searchId'].map((name) => ({
    required: [name],
  })),
}

/** Checked by `prepareContract`, which has more rules than JSON Schema can express. */
const newContract = object(
  {
    id: { ...text, minLength: 1, description: 'a short name, or <owner>/<name>/<version>' },
    schema: object(
      { schema_type: { const: 'avro' }, schema_registry_ref: text },
      {
        definition: {
          description: 'an Avro record, as JSON or as its text',
          type: ['object', 'string'],
        },
      },
    ),
    validations: listOf(object({ field: text, type: { const: 'regex' }, value: text })),
    key_field: text,
    pii_fields: mapOf(level),
  },
  { data_subject_field: text },
)

const contract = object(
  {
    id: text,
    status: oneOf('active', 'archived'),
    schema: object({
      schema_type: { const: 'avro' },
      schema_registry_ref: text,
      schema_registry_id: count,
      definition: { type: ['object', 'string', 'array'] },
    }),
    validations: listOf(object({ field: text, type: { const: 'regex' }, value: text })),
    key_field: text,
    pii_fields: mapOf(level),
    createdAt: time,
  },
  { data_subject_field: text, warnings: listOf(text) },
)

const term = oneOf('key_field', 'data_subject_field')
const foundBy = listOf(
  object({ contract: text, field: text, as: term, events: count, firstAt: time, lastAt: time }),
)
const reached = object({ at: time })
const timeOrUnknown = { anyOf: [time, { const: 'unknown' }] }
const state = { anyOf: [reached, object({ expectedBy: timeOrUnknown })] }
const erasure = {
  required: {
    id: uuid,
    state: oneOf('accepted', 'applied', 'complete', 'destroyed'),
    as: {
      ...listOf(term),
      description: 'whether the values are values of a key field, or data subjects, or both',
    },
    values: count,
    found: {
      ...object({ values: count, events: count, by: foundBy, searchedAt: time }),
      description:
        'what a search before the erasure has found in the input stream: of how many of the values, and how many events',
    },
    eras: listOf(count),
    states: object({ accepted: reached, applied: state, complete: state, destroyed: state }),
    outputs: {
      ...listOf(
        object(
          { name: text, levels: listOf(level), clearAt: timeOrUnknown },
          { because: text, deleted: flag },
        ),
      ),
      description:
        'the outputs whose topics may contain values that were decrypted before the erasure was applied, with the time when each is clear',
    },
  },
  optional: {
    reference: text,
    dueOn: { type: 'string', format: 'date' },
    levels: { ...listOf(level), description: 'the levels that are withdrawn' },
    progress: {
      ...object({ links: count, erased: count }),
      description:
        'while the erasure is not finished: the number of pseudonyms in all eras, and how many of them are erased',
    },
  },
}

const foundInStream = object(
  {
    stream: text,
    by: foundBy,
    held: {
      ...listOf(
        object(
          {
            name: text,
            kind: oneOf('input', 'output', 'dead', 'deleted'),
            events: count,
            decrypted: listOf(text),
          },
          { erased: count, until: timeOrUnknown, because: text },
        ),
      ),
      description: 'the topics that were searched, with the fields that are decrypted there',
    },
  },
  {
    erased: { ...flag, description: 'nobody can decrypt any of the events in the input' },
    withdrawn: {
      ...listOf(level),
      description: 'the levels at which nobody can decrypt the events that are not erased',
    },
    notSearched: { ...text, description: 'why the stream, or a part of it, was not searched' },
  },
)

const account = {
  billingId: text,
  createdAt: time,
  streams: count,
  outputs: count,
  contracts: count,
}
const quotas = object(
  Object.fromEntries(
    Object.keys(defaultQuotas).map((name) => [name, object({ max: count }, { used: count })]),
  ),
)
const role = oneOf(...roles)
const apiKey = { keyId: text, name: text, role, createdAt: time }
const apiKeyMore = { expiresAt: time, lastUsedAt: time }
const rotation = object({
  id: uuid,
  startedAt: time,
  finishedAt: orNull(time),
  parts: count,
  partsLeft: count,
})
const usage = { events: count, bytes: count, refused: mapOf(count) }
const actor = object(
  { kind: oneOf('account', 'credentials', 'platform', 'auth') },
  { billingId: text, keyId: text, name: text, clientId: text, requestId: text },
)

export const schemas: Readonly<Record<string, JsonSchema>> = {
  ...streamSchemas,
  Problem: schema.problemSchema,
  Refusal: object({ code: text, message: text }),
  RegistryError: object({ error_code: count, message: text }),
  OAuthError: object({ error: text, error_description: text, error_uri: text }),
  Tokens: object({ idToken: text, refreshToken: text, expiresAt: count }),
  AccessToken: object({
    access_token: text,
    token_type: { const: 'Bearer' },
    expires_in: count,
    scope: text,
  }),
  TokenRequest: object({
    billingId: asked(1_000),
    clientId: asked(1_000),
    clientSecret: asked(1_000),
  }),
  RefreshRequest: object({ refreshToken: asked(10_000) }),
  GrantRequest: object(
    { grant_type: { const: 'client_credentials' } },
    { client_id: text, client_secret: text },
  ),
  AccountRequest: jsonSchemaOf(bodies.accountBody),
  AccountQuotas: object({ billingId: text, quotas }),
  QuotasRequest: jsonSchemaOf(bodies.quotasBody),
  Account: object({
    ...account,
    erased: count,
    erasedMax: count,
    quotas,
    key: ref('ApiKey'),
  }),
  NewAccount: object({ ...account, key: ref('ApiKey'), apiKey: text }),
  ApiKeyRequest: jsonSchemaOf(bodies.apiKeyBody),
  ApiKey: object(apiKey, apiKeyMore),
  NewApiKey: object({ ...apiKey, apiKey: text }, apiKeyMore),
  NewOwnerKey: object({ billingId: text, ...apiKey, apiKey: text }, apiKeyMore),
  StreamRequest: jsonSchemaOf(bodies.streamBody({ eventRate: '100000', eventCount: '1000000000' })),
  StreamChange: jsonSchemaOf(bodies.streamPatch),
  OutputRequest: jsonSchemaOf(bodies.outputBody, levelRules),
  RebuildRequest: jsonSchemaOf(bodies.rebuildBody),
  OutputChange: jsonSchemaOf(bodies.outputPatch),
  CredentialsRequest: jsonSchemaOf(bodies.credentialsBody, {
    properties: { scope: scopeOf('send', 'listen') },
  }),
  OutputCredentialsRequest: object({}, { scope: scopeOf('listen') }),
  NewCredentials: object({
    clientId: uuid,
    clientSecret: text,
    scope: listOf(oneOf('send', 'listen')),
  }),
  DeletedCredentials: object({ deleted: listOf(ref('Credential')) }),
  ContractRequest: newContract,
  Contract: contract,
  ErasureRequest: jsonSchemaOf(bodies.erasureBody, oneWayToName),
  Erasure: object(erasure.required, erasure.optional),
  NewErasure: object({ ...erasure.required, salt: text }, { ...erasure.optional, links: count }),
  Receipt: object({ receipt: text }),
  SearchRequest: jsonSchemaOf(bodies.searchBody),
  NewSearch: object({ searchId: text }),
  VerifyRequest: jsonSchemaOf(verifyBody),
  Verified: object(
    { isValid: flag },
    {
      why: { ...text, description: 'why it is not valid' },
      isAboutValue: { ...flag, description: 'present if a value was sent' },
      says: listOf(text),
      doesNotSay: listOf(text),
      claims: { type: 'object', description: 'of the receipt, as docs/forgetting.md lists them' },
    },
  ),
  SubjectAccessRequest: jsonSchemaOf(bodies.subjectAccessBody),
  SubjectAccess: object({ accessToken: text, expiresAt: time }),
  Search: object(
    {
      searchId: text,
      state: oneOf('running', 'done', 'failed'),
      startedAt: time,
      scanned: count,
      total: count,
    },
    { because: text, streams: listOf(foundInStream) },
  ),
  SubjectRequest: jsonSchemaOf(bodies.subjectBody),
  Subject: object({
    links: count,
    eras: listOf(object({ era: count, from: time, until: time, links: count })),
    contracts: listOf(object({ id: text, field: text })),
    otherContracts: listOf(text),
  }),
  Usage: object({
    stream: text,
    by: oneOf('1m', '15m', '1h', '1d'),
    from: time,
    until: time,
    total: object(usage),
    usage: listOf(object({ from: time, ...usage })),
  }),
  Rotation: rotation,
  SigningKeysRequest: object({}, { revoke: flag }),
  SigningKeys: object({ kid: uuid, revoked: listOf(uuid), brokers: text }),
  Keys: object({
    rings: listOf(object({ ring: text, version: count, kek: text, parts: count, isNewest: flag })),
    unusedKeks: listOf(object({ kek: text, since: time })),
    rotation: orNull(ref('Rotation')),
  }),
  AuditEntry: object(
    {
      time,
      by: actor,
      action: text,
      target: { type: 'object' },
      outcome: oneOf('done', 'refused'),
    },
    {
      id: { ...text, description: 'in responses to an account' },
      seq: { ...count, description: 'in responses to the platform' },
      prev: text,
      code: text,
    },
  ),
  AuditPage: object({ entries: listOf(ref('AuditEntry')), next: orNull(text) }),
  AuditChain: object({
    records: listOf(object({ offset: text, value: { ...text, contentEncoding: 'base64' } })),
    next: orNull(text),
    head: orNull(object({ seq: count, hash: text })),
  }),
}

/** One name, or a list of names. */
function scopeOf(...names: readonly string[]): JsonSchema {
  const list = { type: 'array', items: oneOf(...names), minItems: 1, uniqueItems: true }
  return { anyOf: [oneOf(...names), list] }
}

/** /auth and /refresh ignore unknown members, because clients send back whole responses. */
function asked(lengthMax: number): JsonSchema {
  return { type: 'string', minLength: 1, maxLength: lengthMax }
}
