// auth's OpenAPI document: tokens, the check of receipts, schemas, and the management API in both versions.
import { openApiOf, schema } from '@weir/docs'
import type { JsonSchema, Operation } from '@weir/docs'
import { errors } from '../../errors.ts'
import { managementOperations } from './operations.ts'
import { always, answer, body, ofBodies } from './tell.ts'
import { registryOperations } from './registry.ts'
import { schemas } from './schemas.ts'

const { inPath, json, ref } = schema

const plainForm = () => json(ref('Refusal'))
const oauthForm = () => json(ref('OAuthError'))

type Told = Pick<Operation, 'id' | 'path' | 'says' | 'body' | 'answers' | 'refusalForm'>

const issuing = (told: Told): Operation => ({
  ...told,
  group: 'tokens',
  method: 'POST',
  who: [],
  refusals: [
    'invalid_credentials',
    'too_many_failures',
    ...errors.codesOf(told.id),
    ...ofBodies,
    ...always,
  ],
})

const describing = (id: string, file: string, says: string): Operation => ({
  id,
  group: 'tokens',
  method: 'GET',
  path: `/.well-known/${file}`,
  says,
  who: [],
  answers: [{ status: 200, says: 'The document', content: json({ type: 'object' }) }],
  refusals: always,
})

const tokenOperations: readonly Operation[] = [
  issuing({
    id: 'createToken',
    path: '/auth',
    says: "Returns an id token for a stream's credentials",
    ...body('TokenRequest'),
    ...answer(200, 'The tokens', 'Tokens'),
    refusalForm: plainForm,
  }),
  issuing({
    id: 'refreshToken',
    path: '/refresh',
    says: 'Returns a new id token for a refresh token',
    ...body('RefreshRequest'),
    ...answer(200, 'The tokens', 'Tokens'),
    refusalForm: plainForm,
  }),
  issuing({
    id: 'grantToken',
    path: '/oauth2/token',
    says: 'The client credentials grant of OAuth 2.0',
    body: { content: { 'application/x-www-form-urlencoded': ref('GrantRequest') } },
    ...answer(200, 'The token', 'AccessToken'),
    refusalForm: oauthForm,
  }),
  describing('showJwks', 'jwks.json', 'The public keys that verify tokens'),
  describing('showConfiguration', 'openid-configuration', 'OpenID Connect Discovery'),
]

const verifying: Operation = {
  id: 'verifyReceipt',
  group: 'erasures',
  method: 'POST',
  path: '/v2/receipts/verify',
  says: 'Checks a receipt, for anyone who has one: whether it is genuine, what it says, and with a value and its salt, whether it is about this value. /verify is the same for people',
  who: [],
  ...body('VerifyRequest'),
  ...answer(200, 'Whether the receipt is valid', 'Verified'),
  refusals: ['invalid', ...errors.codesOf('verifyReceipt'), ...ofBodies, ...always],
}

const pathParameters = [
  inPath('billingId', 'the name of the account'),
  inPath('stream', 'the name of an input stream'),
  inPath('output', 'the name of an output'),
  inPath('clientId', 'the clientId of the credentials'),
  inPath('keyId', 'the id of the API key'),
  inPath('erasure', 'the id of the erasure'),
  inPath('search', 'the searchId'),
  inPath('contract', 'the id of the contract, percent-encoded'),
  inPath('schemaId', 'the schema id that records contain'),
  inPath('subject', "the part of a contract's `schema_registry_ref` before the slash"),
  inPath('version', 'the number of the version, from 1, or `latest`'),
]

const groups = {
  tokens: 'Tokens for credentials, and the keys that verify tokens',
  accounts: 'Accounts and their API keys',
  streams: 'Input streams: what producers send to',
  outputs: 'Derived streams: what teams read',
  credentials: 'Credentials of streams',
  contracts: 'What events look like',
  registry: "The account's schemas, for Avro deserializers: the read requests of the Confluent API",
  erasures: 'Erasures and data subjects',
  platform: 'Keys at rest and the audit log',
}

const http = (scheme: 'basic' | 'bearer', description: string): JsonSchema => ({
  type: 'http',
  scheme,
  description,
})

const security = {
  apiKey: http('bearer', "An account's API key"),
  streamCredentials: http('basic', "A stream's clientId and clientSecret"),
  streamToken: http('bearer', "A stream's id token"),
  platformKey: http('bearer', 'The platform key, which the operators of auth have'),
}

export const openApi = (version: string): JsonSchema =>
  openApiOf({
    title: 'Weir auth',
    says: 'Accounts, streams, contracts, credentials and tokens. Every refusal links to the page about its code.',
    version,
    groups,
    operations: [
      ...tokenOperations,
      verifying,
      ...registryOperations,
      ...managementOperations('v2'),
      ...managementOperations('v1'),
    ],
    pathParameters: Object.fromEntries(
      pathParameters.map((parameter) => [parameter.name, parameter]),
    ),
    schemas,
    security,
    statusOf: (code) => errors.statusOf({ code }),
    refusalForm: schema.problemForm,
  })
