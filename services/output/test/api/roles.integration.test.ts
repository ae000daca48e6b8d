// Tests every route, including upgrades, with an API key of every role, and compares the result with the table of
// routes. The requested objects don't exist, so a permitted caller gets another status than 403.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { asObject, exampleEvent, expectStatus, textIn } from '@weir/testkit'
import { hasRole, isRole, roles } from '@weir/control-state'
import type { Role } from '@weir/control-state'
import { WebSocket } from 'ws'
import { openApi } from '../../src/api/openapi/document.ts'
import { needsOf, routeNeeds } from '../../src/access/route-needs.ts'
import { openScene } from '../support/scene.ts'
import type { Scene } from '../support/scene.ts'

let scene: Scene
const keys: Partial<Record<Role, string>> = {}

beforeAll(async () => {
  scene = await openScene()
  for (const role of roles) {
    const made = await scene.account.call('POST', '/v2/api-keys', { name: role, role })
    keys[role] = textIn(expectStatus(made, 201).body, 'apiKey')
  }
})
afterAll(() => scene.close(), 30_000)

type Told = { status: number; code: string; text: string }

async function ask(role: Role, route: string, body: unknown = {}): Promise<Told> {
  const [method = '', template = ''] = route.split(' ')
  const path = template.replaceAll(/:\w+/g, 'not-there')
  const authorization = `Bearer ${keys[role] ?? ''}`
  if (path.endsWith('/watch')) return upgrade(path, authorization)
  const reply = await fetch(scene.world.output.url + path, {
    method,
    headers: { authorization },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  return { status: reply.status, code: reply.headers.get('svc-error') ?? '', text }
}

function upgrade(path: string, authorization: string): Promise<Told> {
  const url = scene.world.output.url.replace('http', 'ws') + path
  const socket = new WebSocket(url, { headers: { authorization } })
  socket.on('error', () => {})
  return new Promise((resolve) => {
    socket.on('unexpected-response', (_request, response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          code: String(response.headers['svc-error']),
          text: Buffer.concat(parts).toString(),
        }),
      )
    })
  })
}

const asked = Object.entries(routeNeeds).flatMap(([route, needs]) =>
  isRole(needs) ? [{ route, needs }] : [],
)

test('the table itself is right: watching decrypted events is an owner’s, and nothing of an account is open', () => {
  const needing = (these: string) =>
    Object.entries(routeNeeds).flatMap(([route, needs]) => (needs === these ? [route] : []))
  expect(needing('owner')).toEqual(['GET /v2/streams/:stream/outputs/:output/watch'])
  expect(needing('viewer')).toEqual(['GET /v2/streams/:stream/outputs/:output/lag'])
  expect(needing('anyone').filter((route) => route.includes('/v2/'))).toEqual([])
})

describe.each(asked)('$route needs $needs', ({ route, needs }) => {
  test.each(roles.map((role) => ({ role, may: hasRole(role, needs) })))(
    '$role: $may',
    async ({ role, may }) => {
      const told = await ask(role, route)
      const isRefused = told.text.includes(`needs the role ${needs}`)
      const isMissing = `${told.code} ${told.text}`.includes('role_missing')
      expect({ status: told.status === 403, isMissing, isRefused }).toEqual({
        status: !may,
        isMissing: !may,
        isRefused: !may,
      })
      expect([400, 403, 404, 422]).toContain(told.status)
    },
  )
})

test('a route without an entry stops the start, and the OpenAPI document tells the role of the others', () => {
  expect(() => needsOf('GET /v2/secrets')).toThrow('has no entry')
  const { paths } = openApi('0.0.0') as { paths: Record<string, Record<string, object>> }
  for (const { route, needs } of asked.filter(({ route: each }) => !each.endsWith('/watch'))) {
    const [method = '', path = ''] = route.split(' ')
    const told = paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
    expect(told).toMatchObject({ 'x-weir-role': needs })
  }
})

test('a developer previews without a sample, an owner with samples', async () => {
  await scene.account.contract('demo_v1')
  const input = await scene.account.input('in')
  const event = await exampleEvent('demo_v1')
  const svcMeta = { ...asObject(event['svcMeta']), consentLevels: [2] }
  await scene.send(input, 'demo_v1', { ...event, svcMeta, consistent_value: 'Jane of the tests' })
  const route = 'POST /v2/streams/:stream/outputs/preview'.replace(':stream', 'in')
  const [byDeveloper, byOwner] = [
    await ask('developer', route, { consentLevels: [2] }),
    await ask('owner', route, { consentLevels: [2] }),
  ]
  expect([byDeveloper.status, byOwner.status]).toEqual([200, 200])
  expect(byOwner.text).toContain('Jane of the tests')
  expect(byDeveloper.text).not.toContain('Jane of the tests')
  const withSamples = asObject(JSON.parse(byOwner.text))
  expect(withSamples).not.toHaveProperty('samplesNeed')
  expect(JSON.parse(byDeveloper.text)).toEqual({
    ...withSamples,
    samples: [],
    samplesNeed: 'owner',
  })
})
