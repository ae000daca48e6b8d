// The role or the credentials that each route of output needs. A route that isn't listed can't be mounted or upgraded.
// Only the role `owner` may see decrypted events with an API key. Dead-lettered records and developers' previews
// contain no decrypted events.
import type { RouteNeeds } from '@weir/control-state'
import { needsIn } from '@weir/http-api'

const stream = '/v2/streams/:stream'
const output = '/v2/streams/:stream/outputs/:output'

export const routeNeeds = {
  'GET /openapi.json': 'anyone',
  'GET /docs': 'anyone',
  'GET /docs/style.css': 'anyone',
  'GET /': 'anyone',
  'GET /console': 'anyone',

  'GET /ws': 'credentials',
  [`GET ${stream}/watch`]: 'developer',
  [`GET ${output}/watch`]: 'owner',

  [`POST ${stream}/outputs/preview`]: 'developer',
  [`GET ${output}/dead`]: 'developer',
  [`POST ${output}/dead/retry`]: 'developer',
  [`GET ${output}/lag`]: 'viewer',

  [`GET ${stream}/subject-access`]: 'access token',
  'POST /v2/keys': 'credentials',
} as const satisfies RouteNeeds

export type RouteNeedsOfOutput = typeof routeNeeds
export type Route = keyof RouteNeedsOfOutput

/** @throws Error for a route that isn't in the table. The service then fails to start. */
export const needsOf = needsIn(routeNeeds)
