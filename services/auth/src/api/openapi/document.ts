// auth's OpenAPI document: tokens and both versions of management.
import { openApiOf, schema } from '@weir/docs'
import type { JsonSchema, Operation, Parameter } from '@weir/docs'
import { errors } from '../../errors.ts'
import { managementOperations } from './operations.ts'
import { always, ofBodies } from './tell.ts'
import { registryOperations } from './registry.ts'
import { schemas } from './schemas.ts'

const { json, ref } = schema

const form = (name: string) => ({ 'application/x-www-form-urlencoded': ref(name) })
const plainForm = () => json(ref('Refusal'))
const oauthForm = () => json(ref('OAuthError'))

const tokenOperations: readonly Operation[] = [
  {
    id: 'createToken',
    group: 'tokens',
    method: 'POST',
    path: '/auth',
    says: "An id token for a stream's credentials",
    who: [],
    body: { content: json(ref('TokenRequest')) },
    answers: [{ status: 200, says: 'The tokens', content: json(ref('Tokens')) }],
    refusals: ['invalid_credentials', 'too_many_failures', ...ofBodies, ...always],
    refusalForm: plainForm,
  },
  {
    id: 'refreshToken',
    group: 'tokens',
    method: 'POST',
    path: '/refresh',
    says: 'A new id token for a refresh token',
    who: [],
    body: { content: json(ref('RefreshRequest')) },
    answers: [{ status: 200, says: 'The tokens', content: json(ref('Tokens')) }],
    refusals: ['invalid_credentials', 'too_many_failures', ...ofBodies, ...always],
    refusalForm: plainForm,
  },
  {
    id: 'grantToken',
    group: 'tokens',
    method: 'POST',
    path: '/oauth2/token',
    says: 'The client credentials grant of OAuth 2.0',
    who: [],
    body: { content: form('GrantRequest') },
    answers: [{ status: 200, says: 'The token', content: json(ref('AccessToken')) }],
    refusals: [
      'invalid_credentials',
      'too_many_failures',
      'unsupported_grant_type',
      ...ofBodies,
      ...always,
    ],
    refusalForm: oauthForm,
  },
  ...['jwks.json', 'openid-configuration'].map((file): Operation => ({
    id: file === 'jwks.json' ? 'showJwks' : 'showConfiguration',
    group: 'tokens',
    method: 'GET',
    path: `/.well-known/${file}`,
    says: file === 'jwks.json' ? 'The public keys of tokens' : 'OpenID Connect Discovery',
    who: [],
    answers: [{ status: 200, says: 'The document', content: json({ type: 'object' }) }],
    refusals: always,
  })),
]

const inPath = (name: string, says: string): Parameter => ({
  name,
  says,
  schema: { type: 'string', minLength: 1 },
})

export const openApi = (version: string): JsonSchema =>
  openApiOf({
    title: 'Weir auth',
    says: 'Accounts, streams, contracts, credentials and tokens. Every refusal links to the page about its code.',
    version,
    groups: {
      tokens: 'Credentials for tokens, and what checks them',
      accounts: 'Accounts and their API keys',
      streams: 'Input streams: what producers send to',
      outputs: 'Derived streams: what teams read',
      credentials: 'Credentials of streams',
      contracts: 'What events look like',
      registry:
        "The account's schemas, for Avro deserializers: the reading half of the Confluent API",
      erasures: 'Erasures and data subjects',
      platform: 'Keys at rest and the audit log',
    },
    operations: [
      ...tokenOperations,
      ...registryOperations,
      ...managementOperations('v2'),
      ...managementOperations('v1'),
    ],
    pathParameters: Object.fromEntries(
      [
        inPath('billingId', 'the account'),
        inPath('stream', 'the name of an input stream'),
        inPath('output', 'the name of an output'),
        inPath('clientId', 'of the credentials'),
        inPath('keyId', 'of the API key'),
        inPath('erasure', 'its id'),
        inPath('contract', 'its id, percent-encoded'),
        inPath('schemaId', 'the id in the framing of records'),
        inPath('subject', 'of a contract: its `schema_registry_ref` before the slash'),
        inPath('version', 'a number from 1, or `latest`'),
      ].map((parameter) => [parameter.name, parameter]),
    ),
    schemas,
    security: {
      apiKey: { type: 'http', scheme: 'bearer', description: "An account's API key" },
      streamCredentials: {
        type: 'http',
        scheme: 'basic',
        description: "A stream's clientId and clientSecret",
      },
      streamToken: { type: 'http', scheme: 'bearer', description: "A stream's id token" },
      platformKey: {
        type: 'http',
        scheme: 'bearer',
        description: 'The platform key, which the operators of auth have',
      },
    },
    statusOf: (code) => errors.statusOf({ code }),
    refusalForm: schema.problemForm,
  })
