// /registry in auth's OpenAPI document: the read requests of the Confluent API.
import { schema } from '@weir/docs'
import type { Content, JsonSchema, Operation, Parameter } from '@weir/docs'
import { count, jsonSchemaOf, listOf, string } from '@weir/http-api'
import { z } from 'zod'
import { registryContentType } from '../../registry/refusals.ts'
import { schemaVersion } from '../../registry/schemas.ts'
import { errors } from '../../errors.ts'
import { always } from './tell.ts'

const { ref } = schema

const inRegistryForm = (of: JsonSchema): Content => ({ [registryContentType]: of })

const offset: Parameter = {
  name: 'offset',
  says: 'number of results to skip',
  schema: { type: 'integer', minimum: 0, maximum: 999_999_999 },
}
const limit: Parameter = {
  name: 'limit',
  says: 'maximum number of results; -1 means all',
  schema: { type: 'integer', minimum: -1, maximum: 999_999_999 },
}
const paged = [offset, limit]
const inQuery = (name: string, says: string): Parameter => ({ name, says, schema: schema.text })
const defaultToGlobal = inQuery(
  'defaultToGlobal',
  "`true`: no 404 for a subject that isn't the account's",
)

type Told = { readonly query?: readonly Parameter[]; readonly mayBeInvalid?: true }

function tell(path: string, id: string, says: string, of: z.ZodType, told: Told = {}): Operation {
  const { query = [], mayBeInvalid = query.includes(limit) } = told
  return {
    id,
    group: 'registry',
    method: 'GET',
    path: `/registry${path}`,
    says,
    who: ['streamCredentials', 'streamToken', 'apiKey'],
    ...(query.length > 0 ? { query } : {}),
    answers: [{ status: 200, says: 'The result', content: inRegistryForm(jsonSchemaOf(of)) }],
    refusals: [
      'invalid_credentials',
      'invalid_api_key',
      'too_many_failures',
      ...(path.includes(':') ? ['not_found', 'invalid_request'] : []),
      ...(mayBeInvalid ? ['invalid'] : []),
      ...errors.codesOf(id),
      ...always,
    ],
    refusalForm: () => inRegistryForm(ref('RegistryError')),
  }
}

const subject = '/subjects/:subject/versions'
const mayBeInvalid = true
const compatibility = z.strictObject({ compatibilityLevel: z.enum(['NONE']) })
const mode = z.strictObject({ mode: z.enum(['READONLY']) })
const avro = z.unknown().describe('the Avro schema')
const place = schemaVersion.pick({ subject: true, version: true })
const types = listOf(z.enum(['AVRO']))

export const registryOperations: readonly Operation[] = [
  tell('/schemas/types', 'listSchemaTypes', 'The supported types of schemas', types),
  tell(
    '/schemas/ids/:schemaId',
    'showSchema',
    'A schema, by the id that records contain',
    z.strictObject({ schema: string, maxId: count.optional() }),
    {
      query: [
        inQuery('fetchMaxId', '`true`: the response also contains the highest id'),
        inQuery('subject', 'ignored'),
        inQuery('format', 'ignored'),
      ],
      mayBeInvalid,
    },
  ),
  tell(
    '/schemas/ids/:schemaId/schema',
    'showSchemaText',
    'The Avro schema alone, by the id that records contain',
    avro,
  ),
  tell(
    '/schemas/ids/:schemaId/subjects',
    'listSubjectsOfSchema',
    'The subjects that contain a schema',
    listOf(string),
  ),
  tell(
    '/schemas/ids/:schemaId/versions',
    'listVersionsOfSchema',
    'The subjects and versions that contain a schema',
    listOf(place),
  ),
  tell('/subjects', 'listSubjects', "The subjects of the account's contracts", listOf(string), {
    query: [inQuery('subjectPrefix', 'the prefix of the subjects; `:*:` means any'), ...paged],
  }),
  tell(subject, 'listVersions', 'The versions of a subject', listOf(count), { query: paged }),
  tell(`${subject}/:version`, 'showVersion', 'One version of a subject', schemaVersion, {
    mayBeInvalid,
  }),
  tell(
    `${subject}/:version/schema`,
    'showVersionText',
    'The Avro schema of one version alone',
    avro,
    { mayBeInvalid },
  ),
  tell('/config', 'showConfig', 'The compatibility level, which is NONE', compatibility),
  tell(
    '/config/:subject',
    'showConfigOfSubject',
    'The compatibility level of one subject',
    compatibility,
    { query: [defaultToGlobal], mayBeInvalid },
  ),
  tell('/mode', 'showMode', 'The mode, which is READONLY', mode),
  tell('/mode/:subject', 'showModeOfSubject', 'The mode of one subject', mode, {
    query: [defaultToGlobal],
    mayBeInvalid,
  }),
]
