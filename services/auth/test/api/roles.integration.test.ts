// Tests every route that needs a role with an API key of every role, and compares the result with the table of routes.
// The objects in these requests don't exist, so nothing is changed. A permitted caller gets another status than 403.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { hasRole, isRole, roles } from '@weir/control-state'
import type { Role } from '@weir/control-state'
import { openApi } from '../../src/api/openapi/document.ts'
import { needsOf, routeNeeds } from '../../src/api/route-needs.ts'
import { routesOfAuth } from './routes-of.ts'
import { makeAccount, secretsOf, send, joinAuth, textOf } from '../support.ts'
import type { Account, Reply, SharedAuth } from '../support.ts'

let auth: SharedAuth
let owner: Account
const keys: Partial<Record<Role, string>> = {}

beforeAll(async () => {
  auth = await joinAuth()
  owner = await makeAccount(auth)
  for (const role of roles) {
    const made = await owner.post('/v2/api-keys', { name: role, role })
    if (made.status !== 201) throw new Error(`${made.status} ${made.text}`)
    keys[role] = textOf(made.json, 'apiKey')
  }
  await owner.post('/v2/streams', { name: 'in' })
})
afterAll(() => auth.stop())

const routes = Object.entries(routeNeeds)
const asked = routes.flatMap(([route, needs]) =>
  isRole(needs) || needs === 'platform or viewer'
    ? ['v1', 'v2'].map((v) => ({
        route: route.replace('/v2/', `/${v}/`),
        needs: isRole(needs) ? needs : ('viewer' as const),
      }))
    : [],
)

const as = (role: Role, route: string, json?: unknown): Promise<Reply> => {
  const [method = '', template = ''] = route.split(' ')
  const path = template.replaceAll(/:\w+/g, 'not-there')
  return send(`${auth.url}${path}`, {
    method,
    bearer: keys[role] ?? '',
    ...(method === 'GET' || method === 'DELETE' ? {} : { json: json ?? {} }),
  })
}

test('the table has every route of auth, and no other; one without an entry stops the start', () => {
  const ofV2 = routesOfAuth().filter((route) => !route.includes(' /v1/'))
  expect(routes.map(([route]) => route).toSorted()).toEqual(ofV2.toSorted())
  for (const route of routesOfAuth()) {
    const [method = '', path = ''] = route.split(' ')
    expect(() => needsOf(`${method} ${path}`)).not.toThrow()
  }
  expect(() => needsOf('GET /v2/secrets')).toThrow('has no entry')
})

test('the table itself is right: what is about people is an officer’s, what opens doors an owner’s, and nothing is open', () => {
  const needing = (...these: readonly string[]) =>
    routes.filter(([, needs]) => these.includes(needs)).map(([route]) => route)
  expect(needing('officer')).toEqual([
    'POST /v2/streams/:stream/erasures',
    'PATCH /v2/streams/:stream/erasures/:erasure',
    'GET /v2/streams/:stream/erasures/:erasure/receipt',
    'POST /v2/streams/:stream/subjects/lookup',
    'POST /v2/streams/:stream/subject-access',
    'POST /v2/people/search',
    'GET /v2/people/searches/:search',
  ])
  expect(needing('owner')).toEqual([
    'POST /v2/api-keys',
    'DELETE /v2/api-keys/:keyId',
    'DELETE /v2/streams/:stream',
    'DELETE /v2/streams/:stream/outputs/:output',
    'POST /v2/streams/:stream/outputs/:output/rebuild',
    'POST /v2/streams/:stream/outputs/:output/credentials',
    'DELETE /v2/streams/:stream/outputs/:output/credentials/:clientId',
  ])
  const changes = (route: string) => !route.startsWith('GET ')
  expect(needing('viewer', 'platform or viewer').filter(changes)).toEqual([])
  expect(needing('anyone').filter((route) => route.includes(' /v2/') || changes(route))).toEqual([
    'POST /v2/receipts/verify', // the response contains only what is in the receipt
  ])
})

describe.each(asked)('$route needs $needs', ({ route, needs }) => {
  test.each(roles.map((role) => ({ role, may: hasRole(role, needs) })))(
    '$role: $may',
    async ({ role, may }) => {
      const reply = await as(role, route)
      const isRefused = reply.text.includes(`needs the role ${needs}`)
      const isMissing = reply.json['code'] === 'role_missing'
      expect({ status: reply.status === 403, isMissing, isRefused }).toEqual({
        status: !may,
        isMissing: !may,
        isRefused: !may,
      })
      expect([200, 400, 403, 404, 422]).toContain(reply.status)
    },
  )
})

test('the OpenAPI document tells the role of every route that asks for one', () => {
  const { paths } = openApi('0.0.0') as { paths: Record<string, Record<string, object>> }
  for (const { route, needs } of asked) {
    const [method = '', path = ''] = route.split(' ')
    const told = paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
    expect(told).toMatchObject({
      'x-weir-role': needs,
      description: expect.stringContaining(needs),
    })
  }
})

test('an output that a developer creates has no credentials; an owner makes them later', async () => {
  const request = { consentLevels: [1], consentLevelType: 'CUMULATIVE' }
  const route = 'POST /v2/streams/in/outputs'
  const made = await as('developer', route, { ...request, name: 'out' })
  expect(made).toMatchObject({ status: 201, json: { credentials: [] } })
  const older = await as('developer', 'POST /v1/streams/in/outputs', { ...request, name: 'old' })
  expect(older).toMatchObject({ status: 201, json: { credentials: null } })
  const credentials = 'POST /v2/streams/in/outputs/out/credentials'
  expect((await as('developer', credentials)).status).toBe(403)
  expect(secretsOf(await as('owner', credentials))).toBeDefined()
  const byOwner = await as('owner', route, { ...request, name: 'another' })
  expect(secretsOf(byOwner)).toBeDefined()
})

test.each([{ limits: { eventRate: '7' } }, { retentionHours: 1 }, { keyRetentionDays: 1 }])(
  '%j is an owner’s to set, when a stream is made and later',
  async (settings) => {
    const made = await as('developer', 'POST /v2/streams', { name: 'set', ...settings })
    const changed = await as('developer', 'PATCH /v2/streams/in', settings)
    for (const refused of [made, changed])
      expect(refused).toMatchObject({ status: 403, json: { code: 'role_missing' } })
    expect((await as('owner', 'PATCH /v2/streams/in', settings)).status).toBe(200)
    expect((await as('developer', 'PATCH /v2/streams/in', { tags: ['eu'] })).status).toBe(200)
    const entries = (await owner.get('/v2/audit?limit=100')).text
    expect(entries).toContain('"code":"role_missing"')
  },
)

test('how long an output keeps its records is an owner’s to set', async () => {
  const keeping = { retentionHours: 1 }
  const output = { name: 'kept', consentLevels: [1], consentLevelType: 'CUMULATIVE', ...keeping }
  const route = 'POST /v2/streams/in/outputs'
  const path = 'PATCH /v2/streams/in/outputs/kept'
  expect((await as('developer', route, output)).status).toBe(403)
  expect((await as('owner', route, output)).status).toBe(201)
  expect((await as('developer', path, keeping)).status).toBe(403)
  expect((await as('developer', path, { enabled: false })).status).toBe(200)
})
