// Accounts can't see each other through output. On every route, a request about another account's stream gets the same
// response as one about a missing stream. A WebSocket shows only the events of its own stream.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import {
  asObject,
  connectProducer,
  exampleEvent,
  foreignPaths,
  joinWorld,
  listen,
  makeTenants,
  namesIn,
  withoutNames,
} from '@weir/testkit'
import type { TenantNames, SharedWorld, Tenants } from '@weir/testkit'
import { WebSocket } from 'ws'
import { createApp } from '../../src/api/routes.ts'

let world: SharedWorld
let tenants: Tenants

beforeAll(async () => {
  world = await joinWorld()
  tenants = await makeTenants(world.auth.url)
})
afterAll(() => world?.stop())

const output = '/v2/streams/:stream/outputs/:output'
const bodies: Readonly<Record<string, unknown>> = {
  'POST /v2/streams/:stream/outputs/preview': { consentLevels: [0] },
  [`GET ${output}/dead`]: undefined,
  [`POST ${output}/dead/retry`]: {},
  [`GET ${output}/lag`]: undefined,
  'GET /v2/streams/:stream/subject-access': undefined,
}

/** Routes are only listed, so their dependencies are never used. */
const page = { folder: '', authUrl: 'http://auth.test', ingestUrl: 'http://ingest.test' }
const unusable = { console: page, pageOf: (code: string) => code } as Parameters<
  typeof createApp
>[0]

const routes = createApp(unusable)
  .router.stack.flatMap(({ route }) =>
    (route?.stack ?? []).flatMap(({ method }) =>
      method ? [`${method.toUpperCase()} ${route?.path ?? ''}`] : [],
    ),
  )
  .filter((route) => route.includes(' /v2/')) // the other routes contain no data of an account
  .filter((route) => route !== 'POST /v2/keys') // it names no stream; tested in test/reader-keys

test('every route of output has its case', () => {
  expect(Object.keys(bodies).toSorted()).toEqual(routes.toSorted())
})

async function ask(route: string, about: TenantNames) {
  const { names, account } = tenants.ours
  const [method = '', template = ''] = route.split(' ')
  const answers = foreignPaths(template, names, about).map(async (path) =>
    withoutNames(await account.at(world.output.url).call(method, path, bodies[route]), about),
  )
  return Promise.all(answers)
}

test.each(routes)('%s about another account is answered as if about nobody', async (route) => {
  const { theirs, nobodys } = tenants
  const about = await ask(route, theirs.names)
  expect(about).toEqual(await ask(route, nobodys))
  const expected = route.endsWith('/subject-access') ? 401 : 404 // this route accepts no API key
  for (const { status } of about) expect(status).toBe(expected)
})

test.each(routes)('%s takes no token of a stream for a key', async (route) => {
  const { theirs } = tenants
  const [method = '', template = ''] = route.split(' ')
  const token = await theirs.account.token(theirs.input)
  const [path = ''] = foreignPaths(template, theirs.names, theirs.names)
  const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': '198.51.100.11' }
  const reply = await fetch(world.output.url + path, { method, headers })
  expect(reply.status).toBe(401)
  expect(namesIn(await reply.text(), theirs.names)).toEqual([])
})

/** The response to an upgrade. */
function upgrade(token: string, protocols: string[] = []): Promise<object> {
  const headers = protocols.length > 0 ? {} : { headers: { authorization: `Bearer ${token}` } }
  const socket = new WebSocket(`${world.output.url.replace('http', 'ws')}/ws`, protocols, headers)
  return new Promise((resolve) => {
    socket.on('error', () => {})
    socket.on('open', () => {
      socket.terminate()
      resolve({ status: 101 })
    })
    socket.on('unexpected-response', (_request, response) => {
      const { statusCode, rawHeaders } = response
      response.resume()
      resolve({ status: statusCode, rawHeaders })
    })
  })
}

test('a WebSocket with claims of another account is refused as one with nobody’s', async () => {
  const { ours, theirs, nobodys } = tenants
  const token = await ours.account.token(ours.derived)
  const [head = '', payload = '', signature = ''] = token.split('.')
  const claims = asObject(JSON.parse(Buffer.from(payload, 'base64url').toString()))
  for (const claimsOf of [
    ({ billingId }: TenantNames) => ({ billingId }),
    ({ output: stream }: TenantNames) => ({ stream }),
    ({ clientId: sub }: TenantNames) => ({ sub }),
  ]) {
    const forged = (about: TenantNames): string => {
      const other = JSON.stringify({ ...claims, ...claimsOf(about) })
      return [head, Buffer.from(other).toString('base64url'), signature].join('.')
    }
    for (const about of [theirs.names, nobodys]) {
      const answer = await upgrade(forged(about))
      expect(answer).toMatchObject({ status: 401 })
      expect(answer).toEqual(await upgrade(forged(nobodys)))
      expect(answer).toEqual(await upgrade('', ['weir', `bearer.${forged(about)}`]))
    }
  }
})

test('a WebSocket shows the events of its own stream alone', async () => {
  const { ours, theirs } = tenants
  const producer = await connectProducer(world.ingest.url)
  const watchers = await Promise.all(
    [ours.input, ours.derived].map(async (stream) =>
      listen(world.output.url, await ours.account.token(stream), `/ws?stream=${theirs.input.name}`),
    ),
  )
  const event = await exampleEvent('clickstream')
  for (const { account, input, names } of [theirs, ours, theirs, ours]) {
    const token = await account.token(input)
    const answer = await producer.send(event, { token, schemaId: names.contract })
    expect(answer.status).toBe(204)
  }
  for (const watcher of watchers) await watcher.until(2)
  const theirLag = async () => {
    const path = `/v2/streams/${theirs.names.stream}/outputs/${theirs.names.output}/lag`
    return (await theirs.account.at(world.output.url).call('GET', path)).body['lag'] === 0
  }
  await pollUntil(theirLag, { deadlineMs: 60_000, what: 'deriving the other account’s events' })
  for (const { events, close } of watchers) {
    expect(events.map(({ svcMeta: meta }) => asObject(meta)['billingId'])).toEqual([
      ours.names.billingId,
      ours.names.billingId,
    ])
    close()
  }
  producer.close()
})
