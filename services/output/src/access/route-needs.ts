// Who may call what: every route of output, and nothing else can be mounted or upgraded. What shows decrypted events to
// whoever has an API key is an owner's; dead records and previews are told to developers without any.
import type { RouteNeeds } from '@weir/control-state'
import { needsIn } from '@weir/http-api'

const stream = '/v2/streams/:stream'
const output = '/v2/streams/:stream/outputs/:output'

export const routeNeeds = {
  'GET /openapi.json': 'anyone',
  'GET /docs': 'anyone',
  'GET /docs/style.css': 'anyone',
  'GET /console': 'anyone',

  'GET /ws': 'credentials',
  [`GET ${stream}/watch`]: 'developer',
  [`GET ${output}/watch`]: 'owner',

  [`POST ${stream}/outputs/preview`]: 'developer',
  [`GET ${output}/dead`]: 'developer',
  [`POST ${output}/dead/retry`]: 'developer',
  [`GET ${output}/lag`]: 'viewer',

  [`GET ${stream}/subject-access`]: 'access token',
} as const satisfies RouteNeeds

export type RouteNeedsOfOutput = typeof routeNeeds
export type Route = keyof RouteNeedsOfOutput

/** @throws Error for a route that isn't in the table: the service doesn't start with it */
export const needsOf = needsIn(routeNeeds)
