// Documents management operations. Adds the keys and roles that the route needs, the codes of all operations of its
// kind, and the codes whose rows in errors.ts name the operation.
import { pageEntries } from '@weir/http-api'
import { schema } from '@weir/docs'
import type { Operation, Parameter } from '@weir/docs'
import { isRole } from '@weir/control-state'
import type { Needs } from '@weir/control-state'
import { errors } from '../../errors.ts'
import type { AnswerName } from '../answers/answers.ts'
import { needsOf } from '../route-needs.ts'
import type { RequestName } from './schemas.ts'

const { json, ref, time } = schema

type Told = Omit<Operation, 'id' | 'group' | 'method' | 'path' | 'who' | 'role' | 'refusals'>

/** Returns the keys that are sufficient for a route, and the codes for refused callers. */
function keysOf(needs: Needs) {
  if (needs === 'platform')
    return { who: ['platformKey'], refusals: ['invalid_platform_key', 'too_many_failures'] }
  const refusals = ['invalid_api_key', 'too_many_failures', 'role_missing', 'quota_exceeded']
  if (isRole(needs)) return { who: ['apiKey'], role: needs, refusals }
  return { who: ['apiKey', 'platformKey'], role: 'viewer', refusals }
}
export const always = ['unavailable', 'internal']
export const ofBodies = ['invalid_request', 'not_json', 'too_large', 'unsupported_encoding']

export const body = (name: RequestName, mayBeMissing = false) => ({
  body: { content: json(ref(name)), mayBeMissing },
})
export const answer = (status: number, says: string, name: AnswerName, of = ref(name)) => ({
  answers: [{ status, says, content: json(of) }],
})
export const all = (says: string, name: AnswerName) =>
  answer(200, says, name, { type: 'array', items: ref(name) })
/** Documents a paginated list, as `listPage` creates it. */
export const list = (says: string, name: AnswerName) => ({
  query: [
    {
      name: 'limit',
      says: `how many at most; default: ${pageEntries.usually}. A page of large entries has fewer`,
      schema: { type: 'integer', minimum: 1, maximum: pageEntries.max },
    },
    { name: 'cursor', says: 'where the page begins, as `Link` has it', schema: { type: 'string' } },
  ],
  ...all(
    `${says}. If there are more, the header \`Link\` contains the next page, with \`rel="next"\``,
    name,
  ),
})
export const moment = (name: string, says: string): Parameter => ({
  name,
  says,
  schema: { anyOf: [time, { type: 'string', format: 'date' }] },
})

/** For example: `tell('createStream', 'POST /streams', 'streams', …)` */
export function createTell(version: string) {
  const operations: Operation[] = []
  const tell = (id: string, route: string, group: string, told: Told): void => {
    const [method = '', path = ''] = route.split(' ')
    const key = keysOf(needsOf(`${method} /${version}${path}`))
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
        ...(told.body === undefined && told.query === undefined ? [] : ['invalid']),
        ...errors.codesOf(id),
        ...(changes ? ['refused'] : []),
        ...always,
      ],
    })
  }
  return { operations, tell }
}

/** The cast is safe, because every route starts with its method. */
const asMethod = (name: string): Operation['method'] => name as Operation['method']

export type Tell = ReturnType<typeof createTell>['tell']
