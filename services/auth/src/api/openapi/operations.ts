// Every operation of management, once for each version: what it takes, what it answers, how it may refuse. A test holds the
// paths against the router's own.
import { schema } from '@weir/docs'
import type { JsonSchema, Operation, Parameter } from '@weir/docs'
import { isRole } from '@weir/control-state'
import type { Needs } from '@weir/control-state'
import { needsOf } from '../route-needs.ts'

const { json, listOf, object, oneOf, ref, time } = schema

type Told = Omit<Operation, 'id' | 'group' | 'method' | 'path' | 'who' | 'role' | 'refusals'> & {
  readonly refusals?: readonly string[]
}

/** By the table of routes: which keys will do, and how others are refused. */
function keysOf(needs: Needs) {
  if (needs === 'platform')
    return { who: ['platformKey'], refusals: ['invalid_platform_key', 'too_many_failures'] }
  const refusals = ['invalid_api_key', 'too_many_failures', 'role_missing']
  if (isRole(needs)) return { who: ['apiKey'], role: needs, refusals }
  return { who: ['apiKey', 'platformKey'], role: 'viewer', refusals }
}
export const always = ['unavailable', 'internal']
export const ofBodies = ['invalid_request', 'not_json', 'too_large', 'unsupported_encoding']

const body = (name: string) => ({ body: { content: json(ref(name)) }, refusals: ['invalid'] })
const answer = (status: number, says: string, of: JsonSchema) => ({
  answers: [{ status, says, content: json(of) }],
})
const moment = (name: string, says: string): Parameter => ({
  name,
  says,
  schema: { anyOf: [time, { type: 'string', format: 'date' }] },
})

/** `tell('POST /streams', 'streams', …)` */
function createTell(version: string) {
  const operations: Operation[] = []
  const tell = (id: string, route: string, group: string, told: Told): void => {
    const [method = '', path = ''] = route.split(' ')
    const key = keysOf(needsOf(method, `/${version}${path}`))
    const changes = method !== 'GET'
    operations.push({
      ...told,
      id: `${id}.${version}`,
      group,
      method: asMethod(method),
      path: `/${version}${path}`,
      who: key.who,
      role: key.role,
      refusals: [
        ...key.refusals,
        ...(path.includes(':') ? ['not_found', 'invalid_request'] : []),
        ...(told.body === undefined ? [] : ofBodies),
        ...(told.refusals ?? []),
        ...(changes ? ['refused'] : []),
        ...always,
      ],
    })
  }
  return { operations, tell }
}

/** A route of the tables below begins with one of these. */
const asMethod = (name: string): Operation['method'] => name as Operation['method']

export function managementOperations(version: 'v1' | 'v2'): readonly Operation[] {
  const { operations, tell } = createTell(version)
  tellAccounts(tell)
  tellStreams(tell, version.toUpperCase())
  tellOutputs(tell, version.toUpperCase())
  tellCredentials(tell)
  tellContracts(tell)
  tellErasures(tell)
  tellPlatform(tell)
  return operations
}

type Tell = ReturnType<typeof createTell>['tell']

function tellAccounts(tell: Tell): void {
  tell('showAccount', 'GET /account', 'accounts', {
    says: 'The account of the API key',
    ...answer(200, 'The account', ref('Account')),
  })
  tell('createAccount', 'POST /accounts', 'accounts', {
    says: 'Creates an account, with its first API key',
    ...body('AccountRequest'),
    ...answer(201, 'The account and its key, shown only in this answer', ref('NewAccount')),
    refusals: ['invalid', 'name_taken'],
  })
  tell('createOwnerKey', 'POST /accounts/:billingId/keys', 'accounts', {
    says: 'Another API key for an account, with the role owner',
    ...answer(201, 'The key, shown only in this answer', ref('NewOwnerKey')),
    refusals: ['too_many_api_keys'],
  })
  tell('listApiKeys', 'GET /api-keys', 'accounts', {
    says: 'The API keys of the account, without the keys themselves',
    ...answer(200, 'The keys', listOf(ref('ApiKey'))),
  })
  tell('createApiKey', 'POST /api-keys', 'accounts', {
    says: 'An API key with a name and a role',
    ...body('ApiKeyRequest'),
    ...answer(201, 'The key, shown only in this answer', ref('NewApiKey')),
    refusals: ['invalid', 'too_many_api_keys'],
  })
  tell('deleteApiKey', 'DELETE /api-keys/:keyId', 'accounts', {
    says: 'Ends an API key within a second, and closes its WebSockets',
    ...answer(200, 'What was deleted', object({ deleted: listOf(ref('ApiKey')) })),
    refusals: ['last_owner_key'],
  })
}

function tellStreams(tell: Tell, v: string): void {
  const of = (shape: string): JsonSchema => ref(`${shape}Stream${v}`)
  tell('listStreams', 'GET /streams', 'streams', {
    says: 'The input streams of the account',
    ...answer(200, 'The streams', listOf(of('Input'))),
  })
  tell('createStream', 'POST /streams', 'streams', {
    says: 'An input stream, with its first credentials',
    ...body('StreamRequest'),
    ...answer(201, 'The stream; its secret is shown only in this answer', of('NewInput')),
    refusals: ['invalid', 'name_taken', 'being_deleted', 'topic_exists'],
  })
  tell('showStream', 'GET /streams/:stream', 'streams', {
    says: 'One input stream',
    ...answer(200, 'The stream', of('Input')),
  })
  tell('changeStream', 'PATCH /streams/:stream', 'streams', {
    says: 'Changes what the body names',
    ...body('StreamChange'),
    ...answer(200, 'The stream as it is now', of('Input')),
  })
  tell('deleteStream', 'DELETE /streams/:stream', 'streams', {
    says: 'Deletes an input stream with its events and keys',
    query: [{ name: 'recursive', says: 'with its outputs', schema: oneOf('true', 'false') }],
    ...answer(
      200,
      'What was deleted',
      object({ deleted: listOf({ anyOf: [of('DeletedInput'), of('DeletedOutput')] }) }),
    ),
    refusals: ['has_outputs', 'invalid'],
  })
  tell('showUsage', 'GET /streams/:stream/usage', 'streams', {
    says: 'The usage of a stream, by time interval',
    query: [
      { name: 'by', says: 'the length of an interval', schema: oneOf('1m', '15m', '1h', '1d') },
      moment('from', 'the start of the time range'),
      moment('until', 'the end of the time range; default: now'),
      { name: 'format', says: 'instead of the header Accept', schema: oneOf('json', 'csv') },
    ],
    answers: [
      {
        status: 200,
        says: 'The usage',
        content: { ...json(ref('Usage')), 'text/csv': { type: 'string' } },
      },
    ],
    refusals: ['invalid'],
  })
}

function tellOutputs(tell: Tell, v: string): void {
  const of = (shape: string): JsonSchema => ref(`${shape}OutputStream${v}`)
  const outputs = '/streams/:stream/outputs'
  tell('listOutputs', `GET ${outputs}`, 'outputs', {
    says: 'The outputs of an input stream',
    ...answer(200, 'The outputs', listOf(of(''))),
  })
  tell('createOutput', `POST ${outputs}`, 'outputs', {
    says: 'An output; with its first credentials when an owner creates it',
    ...body('OutputRequest'),
    ...answer(201, 'The output; its secret is shown only in this answer', of('New')),
    refusals: ['invalid', 'name_taken', 'being_deleted', 'topic_exists'],
  })
  tell('showOutput', `GET ${outputs}/:output`, 'outputs', {
    says: 'One output',
    ...answer(200, 'The output', of('')),
  })
  tell('changeOutput', `PATCH ${outputs}/:output`, 'outputs', {
    says: 'Enables or disables an output',
    ...body('OutputChange'),
    ...answer(200, 'The output as it is now', of('')),
  })
  tell('deleteOutput', `DELETE ${outputs}/:output`, 'outputs', {
    says: 'Deletes an output with its events',
    ...answer(200, 'What was deleted', object({ deleted: listOf(of('Deleted')) })),
  })
}

function tellCredentials(tell: Tell): void {
  for (const [of, path, request] of [
    ['Stream', '/streams/:stream', 'CredentialsRequest'],
    ['Output', '/streams/:stream/outputs/:output', 'OutputCredentialsRequest'],
  ] as const) {
    tell(`create${of}Credentials`, `POST ${path}/credentials`, 'credentials', {
      says: 'Creates more credentials; the old ones stay valid',
      body: { content: json(ref(request)), mayBeMissing: true },
      ...answer(
        201,
        'The credentials; the secret is shown only in this answer',
        ref('NewCredentials'),
      ),
      refusals: ['invalid', 'invalid_scope', 'too_many_credentials'],
    })
    tell(`delete${of}Credentials`, `DELETE ${path}/credentials/:clientId`, 'credentials', {
      says: 'Revokes credentials; their tokens end within a second',
      ...answer(200, 'What was revoked', ref('DeletedCredentials')),
    })
  }
}

function tellContracts(tell: Tell): void {
  tell('listContracts', 'GET /contracts', 'contracts', {
    says: 'The contracts of the account',
    ...answer(200, 'The contracts', listOf(ref('Contract'))),
  })
  tell('createContract', 'POST /contracts', 'contracts', {
    says: 'Publishes a contract; a published contract never changes',
    ...body('ContractRequest'),
    ...answer(201, 'The contract', ref('Contract')),
    refusals: ['invalid', 'name_taken'],
  })
  tell('showContract', 'GET /contracts/:contract', 'contracts', {
    says: 'One contract',
    ...answer(200, 'The contract', ref('Contract')),
  })
  tell('archiveContract', 'POST /contracts/:contract/archive', 'contracts', {
    says: 'Archives a contract: its events are refused from then on',
    ...answer(200, 'The contract', ref('Contract')),
  })
}

function tellErasures(tell: Tell): void {
  const erasures = '/streams/:stream/erasures'
  tell('listErasures', `GET ${erasures}`, 'erasures', {
    says: 'The erasures of a stream, newest first',
    ...answer(200, 'The erasures', listOf(ref('Erasure'))),
  })
  tell('createErasure', `POST ${erasures}`, 'erasures', {
    says: 'Erases people, or withdraws their consent from a level up; names the outputs that may contain decrypted values, with the time when each is clear',
    ...body('ErasureRequest'),
    ...answer(201, 'The erasure; its salt is shown only in this answer', ref('NewErasure')),
    refusals: ['invalid', 'no_such_subject', 'no_data_subject_field', 'erasures_exceeded'],
  })
  tell('showErasure', `GET ${erasures}/:erasure`, 'erasures', {
    says: 'One erasure, with the times of the states it has reached',
    ...answer(200, 'The erasure', ref('Erasure')),
  })
  tell('showReceipt', `GET ${erasures}/:erasure/receipt`, 'erasures', {
    says: 'The signed receipt of an erasure that is complete',
    ...answer(200, 'The receipt, a JWS', ref('Receipt')),
    refusals: ['not_complete'],
  })
  tell('lookUpSubject', 'POST /streams/:stream/subjects/lookup', 'erasures', {
    says: 'Under how many pseudonyms a data subject has events that can be decrypted',
    ...body('SubjectRequest'),
    ...answer(200, 'The number for each era, and the contracts that were searched', ref('Subject')),
    refusals: ['invalid', 'no_data_subject_field'],
  })
}

function tellPlatform(tell: Tell): void {
  tell('showKeys', 'GET /keys', 'platform', {
    says: 'The keys at rest: wrapping keys, KEKs, the last key rotation',
    ...answer(200, 'The keys', ref('Keys')),
  })
  tell('rotateKeys', 'POST /keys/rotations', 'platform', {
    says: 'Starts a key rotation, or reports the one in progress',
    ...answer(202, 'The rotation', ref('Rotation')),
  })
  tell('rotateSigningKeys', 'POST /platform/signing-keys/rotate', 'platform', {
    says: 'A new key signs tokens at once; with `revoke` end the tokens of all former keys within a second, at brokers as the answer says',
    body: { content: json(ref('SigningKeysRequest')), mayBeMissing: true },
    ...answer(200, 'The new key and those that were revoked', ref('SigningKeys')),
    refusals: ['invalid'],
  })
  tell('showAudit', 'GET /audit', 'platform', {
    says: "The audit log: the account's own entries, or with the platform key all entries",
    query: [
      moment('from', 'the start of the time range; default: one day before `until`'),
      moment('until', 'the end of the time range; default: now'),
      {
        name: 'limit',
        says: 'maximum number of entries',
        schema: { type: 'integer', minimum: 1, maximum: 1000 },
      },
      {
        name: 'after',
        says: '`next` of the page before',
        schema: { type: 'string', pattern: '^[\\w-]{1,22}$' },
      },
    ],
    ...answer(200, 'A page', ref('AuditPage')),
    refusals: ['invalid'],
  })
  tell('showAuditChain', 'GET /audit/chain', 'platform', {
    says: 'The audit log as stored in its topic, to check its hashes',
    query: [
      {
        name: 'after',
        says: '`next` of the page before',
        schema: { type: 'string', pattern: '^[0-9]{1,18}$' },
      },
    ],
    ...answer(200, 'A page', ref('AuditChain')),
    refusals: ['invalid'],
  })
}
