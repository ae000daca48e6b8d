// Who may call what: the table of all routes of auth. A route that isn't in it can't be mounted. A route of /v1 has the
// same needs as in /v2. The role viewer reads a stream's settings. The role officer sees people's data and decides
// about erasures. The role owner manages API keys and the credentials that read decrypted events, and deletes streams.
// Only this role may set limits and retention: routes/streams.ts checks the bodies.
import type { Needs, RouteNeeds } from '@weir/control-state'
import { needsIn } from '@weir/http-api'

const stream = '/v2/streams/:stream'
const readers = 'credentials or viewer'
const output = '/v2/streams/:stream/outputs/:output'

export const routeNeeds = {
  'GET /.well-known/jwks.json': 'anyone',
  'GET /.well-known/openid-configuration': 'anyone',
  'GET /openapi.json': 'anyone',
  'GET /': 'anyone',
  'GET /docs{/*page}': 'anyone',
  'GET /docs/style.css': 'anyone',

  'GET /verify': 'anyone',
  'GET /verify/page.js': 'anyone',
  'GET /favicon.ico': 'anyone',
  'POST /v2/receipts/verify': 'anyone',

  'POST /auth': 'credentials',
  'POST /refresh': 'credentials',
  'POST /oauth2/token': 'credentials',

  'GET /registry/schemas/types': readers,
  'GET /registry/schemas/ids/:schemaId': readers,
  'GET /registry/schemas/ids/:schemaId/schema': readers,
  'GET /registry/schemas/ids/:schemaId/subjects': readers,
  'GET /registry/schemas/ids/:schemaId/versions': readers,
  'GET /registry/subjects': readers,
  'GET /registry/subjects/:subject/versions': readers,
  'GET /registry/subjects/:subject/versions/:version': readers,
  'GET /registry/subjects/:subject/versions/:version/schema': readers,
  'GET /registry/config': readers,
  'GET /registry/config/:subject': readers,
  'GET /registry/mode': readers,
  'GET /registry/mode/:subject': readers,

  'POST /v2/accounts': 'platform',
  'DELETE /v2/accounts/:billingId': 'platform',
  'POST /v2/accounts/:billingId/keys': 'platform',
  'GET /v2/keys': 'platform',
  'POST /v2/keys/rotations': 'platform',
  'POST /v2/platform/signing-keys/rotate': 'platform',
  'GET /v2/platform/accounts/:billingId/quotas': 'platform',
  'PUT /v2/platform/accounts/:billingId/quotas': 'platform',
  'GET /v2/audit/chain': 'platform',
  'GET /v2/audit': 'platform or viewer',

  'GET /v2/account': 'viewer',
  'GET /v2/account/purposes': 'viewer',
  'PUT /v2/account/purposes': 'developer',
  'GET /v2/api-keys': 'viewer',
  'POST /v2/api-keys': 'owner',
  'DELETE /v2/api-keys/:keyId': 'owner',

  'GET /v2/streams': 'viewer',
  'POST /v2/streams': 'developer',
  [`GET ${stream}`]: 'viewer',
  [`PATCH ${stream}`]: 'developer',
  [`DELETE ${stream}`]: 'owner',
  [`GET ${stream}/usage`]: 'viewer',
  [`POST ${stream}/credentials`]: 'developer',
  [`DELETE ${stream}/credentials/:clientId`]: 'developer',

  [`GET ${stream}/outputs`]: 'viewer',
  [`POST ${stream}/outputs`]: 'developer',
  [`GET ${output}`]: 'viewer',
  [`PATCH ${output}`]: 'developer',
  [`DELETE ${output}`]: 'owner',
  [`POST ${output}/rebuild`]: 'owner',
  [`POST ${output}/credentials`]: 'owner',
  [`DELETE ${output}/credentials/:clientId`]: 'owner',

  [`GET ${stream}/erasures`]: 'viewer',
  [`POST ${stream}/erasures`]: 'officer',
  [`GET ${stream}/erasures/:erasure`]: 'viewer',
  [`PATCH ${stream}/erasures/:erasure`]: 'officer',
  [`GET ${stream}/erasures/:erasure/receipt`]: 'officer',
  [`POST ${stream}/subjects/lookup`]: 'officer',
  [`POST ${stream}/subject-access`]: 'officer',

  'POST /v2/people/search': 'officer',
  'GET /v2/people/searches/:search': 'officer',

  'GET /v2/contracts': 'viewer',
  'POST /v2/contracts': 'developer',
  'GET /v2/contracts/:contract': 'viewer',
  'POST /v2/contracts/:contract/archive': 'developer',
} as const satisfies RouteNeeds

export type RouteNeedsOfAuth = typeof routeNeeds
export type Route = keyof RouteNeedsOfAuth

const needsInTable = needsIn(routeNeeds)

/** @throws Error for a route that isn't in the table. The service then fails to start. */
export const needsOf = (route: string): Needs => needsInTable(route.replace(' /v1/', ' /v2/'))
