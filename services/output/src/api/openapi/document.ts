// output's OpenAPI document: the routes for data that only output has. Readers get events from Kafka or, for
// development, over a WebSocket at /ws, which OpenAPI can't describe.
import { openApiOf, schema } from '@weir/docs'
import type { JsonSchema, Operation } from '@weir/docs'
import { isRole } from '@weir/control-state'
import { answerSchemasOf, jsonSchemaOf, levelRules, problemAnswer } from '@weir/http-api'
import { deadAnswer, lagAnswer, retriedAnswer } from '../../dead-letters/dead-letters.ts'
import { errors } from '../../errors.ts'
import { previewBody } from '../../preview/preview.ts'
import { previewAnswer } from '../../preview/preview-summary.ts'
import { personEvent } from '../../subject-access/event-lines.ts'
import { keysAnswer, keysBody } from '../../reader-keys/reader-keys.ts'
import { needsOf } from '../../access/route-needs.ts'

const { inPath, json, ref, text } = schema

const always = [
  'invalid_api_key',
  'too_many_failures',
  'role_missing',
  'not_found',
  'invalid_request',
  'unavailable',
  'internal',
]
const outputs = '/v2/streams/:stream/outputs'

const ofBodies = ['not_json', 'too_large', 'unsupported_encoding', 'invalid']

const told: readonly Omit<Operation, 'who' | 'role' | 'refusals'>[] = [
  {
    id: 'preview',
    group: 'preview',
    method: 'POST',
    path: `${outputs}/preview`,
    says: 'Estimates what an output with these levels would contain. Creates nothing',
    body: { content: json(ref('PreviewRequest')) },
    answers: [{ status: 200, says: 'The preview', content: json(ref('Preview')) }],
  },
  {
    id: 'listDead',
    group: 'dead-lettered records',
    method: 'GET',
    path: `${outputs}/:output/dead`,
    says: 'Lists dead-lettered records, newest first, without their values',
    answers: [{ status: 200, says: 'The records', content: json(ref('Dead')) }],
  },
  {
    id: 'retryDead',
    group: 'dead-lettered records',
    method: 'POST',
    path: `${outputs}/:output/dead/retry`,
    says: 'Derives dead-lettered records again, each exactly once',
    answers: [{ status: 200, says: 'The result for these records', content: json(ref('Retried')) }],
  },
  {
    id: 'showLag',
    group: 'lag',
    method: 'GET',
    path: `${outputs}/:output/lag`,
    says: 'The lag of an output',
    answers: [{ status: 200, says: 'The lag', content: json(ref('Lag')) }],
  },
]

const access: Operation = {
  id: 'downloadEvents',
  group: 'subject access',
  method: 'GET',
  path: '/v2/streams/:stream/subject-access',
  says: "One person's events in an input stream, decrypted, for the holder of an access token of auth. If the response is cut off, it is not complete",
  query: [
    {
      name: 'format',
      says: 'ndjson: an event on each line. csv: a field on each line, to be read in a spreadsheet, with a byte order mark',
      schema: { enum: ['ndjson', 'csv'], default: 'ndjson' },
    },
    {
      name: 'without',
      says: 'Leaves out the events whose `person` is one of these, separated by commas: other names somebody else, linked nobody, encrypted a value that cannot be decrypted',
      schema: { type: 'string', pattern: '^(other|linked|encrypted)(,(other|linked|encrypted))*$' },
    },
  ],
  answers: [
    {
      status: 200,
      says: 'The events, in no order',
      content: { 'application/x-ndjson': ref('PersonEvent'), 'text/csv': text },
    },
  ],
  refusals: [
    'not_found',
    'invalid',
    'unavailable',
    'internal',
    ...errors.codesOf('downloadEvents'),
  ],
  who: ['accessToken'],
}

const readerKeys: Operation = {
  id: 'giveKeys',
  group: 'reader keys',
  method: 'POST',
  path: '/v2/keys',
  says: 'The keys of people in an output with decryptAt reader, for a token of this output. Only over TLS, except on the same machine',
  body: { content: json(ref('KeysRequest')) },
  answers: [{ status: 200, says: 'For each person one answer', content: json(ref('Keys')) }],
  refusals: [
    'not_found',
    'invalid_request',
    'unavailable',
    'internal',
    ...ofBodies,
    ...errors.codesOf('giveKeys'),
  ],
  who: ['token'],
}

const operations = told.map((operation): Operation => {
  const needs = needsOf(`${operation.method} ${operation.path}`)
  const refusals = [
    ...always,
    ...(operation.body === undefined ? [] : ofBodies),
    ...errors.codesOf(operation.id),
  ]
  return { ...operation, refusals, who: ['apiKey'], role: isRole(needs) ? needs : undefined }
})

const schemas: Readonly<Record<string, JsonSchema>> = {
  PreviewRequest: jsonSchemaOf(previewBody, levelRules),
  KeysRequest: jsonSchemaOf(keysBody),
  ...answerSchemasOf({
    Problem: problemAnswer,
    Preview: previewAnswer,
    Dead: deadAnswer,
    Retried: retriedAnswer,
    PersonEvent: personEvent,
    Keys: keysAnswer,
    Lag: lagAnswer,
  }),
}

export const openApi = (version: string): JsonSchema =>
  openApiOf({
    title: 'Weir output',
    says: "Previews, dead-lettered records and lag of derived streams, people's events, and keys for readers. Every refusal links to the page about its code.",
    version,
    groups: {
      preview: 'Previews of outputs that are not created yet',
      'dead-lettered records': 'Dead-lettered records',
      lag: 'Lag of outputs',
      'subject access': "A person's events",
      'reader keys': 'Keys for readers who decrypt',
    },
    operations: [...operations, access, readerKeys],
    pathParameters: {
      stream: inPath('stream', 'the name of an input stream'),
      output: inPath('output', 'the name of an output'),
    },
    schemas,
    security: {
      apiKey: { type: 'http', scheme: 'bearer', description: "An account's API key" },
      token: {
        type: 'http',
        scheme: 'bearer',
        description: "The idToken of auth's POST /auth, for the output",
      },
      accessToken: {
        type: 'http',
        scheme: 'bearer',
        description: "The accessToken of auth's POST /v2/streams/{stream}/subject-access",
      },
    },
    statusOf: (code) => errors.statusOf({ code }),
    refusalForm: schema.problemForm,
  })
