// Accounts can't see each other through ingest. Another account's contracts, ids and tokens are refused as if they did
// not exist. Events of one account never get into another's stream, whatever they claim.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  asObject,
  compiledExample,
  createTopicReader,
  exampleEvent,
  joinWorld,
  makeTenants,
  plainEvent,
} from '@weir/testkit'
import type { TenantNames, SharedWorld, Tenants, TopicReader } from '@weir/testkit'
import { takersOf } from '../src/routes.ts'
import { connect } from './support/clients.ts'
import type { Answer, Client, Header } from './support/clients.ts'
import { bearer, schema } from './support/scene.ts'

let world: SharedWorld
let tenants: Tenants
let token: string
let theirToken: string
let client: Client
let reader: TopicReader

beforeAll(async () => {
  world = await joinWorld()
  tenants = await makeTenants(world.auth.url)
  token = await tenants.ours.account.token(tenants.ours.input)
  theirToken = await tenants.theirs.account.token(tenants.theirs.input)
  client = await connect['HTTP/2'](world.ingest.url)
  reader = createTopicReader()
})
afterAll(async () => {
  client?.close()
  await reader?.close()
  await world?.stop()
})

type Ask = (about: TenantNames) => Promise<readonly Answer[]>

/** The content type for each path. */
const forms: Readonly<Record<string, { type: string }>> = {
  '/event': { type: 'application/json' },
  '/events': { type: 'application/x-ndjson' },
}

const send = async (path: string, headers: readonly Header[], more: object = {}) =>
  client.send({
    path,
    headers: [['content-type', forms[path]?.type ?? ''], ...headers],
    body: `${JSON.stringify({ ...(await exampleEvent('clickstream')), ...more })}\n`,
  })

/** Every way to name another account's objects on a path. */
const asksOn = (path: string): Readonly<Record<string, Ask>> => ({
  'a contract id': async ({ contract }) => [
    await send(path, [bearer(token), schema(contract)]),
    await send(path, [bearer(token), ['strm-schema-ref', contract]]),
  ],
  'an id of a contract, as owner of another': async ({ contract, billingId }) => [
    await send(path, [bearer(token), schema(`${billingId}/${contract}/1.0.0`)]),
  ],
  'claims in a token of one’s own': async (about) => {
    const { billingId, stream, clientId } = about
    const claims = [
      { billingId },
      { stream },
      { sub: clientId },
      { billingId, stream, sub: clientId },
    ]
    return Promise.all(
      claims.map((claim) =>
        send(path, [bearer(forged(claim)), schema(tenants.ours.names.contract)]),
      ),
    )
  },
  'what is no token': async ({ clientId, billingId }) => [
    await send(path, [bearer(clientId), schema(tenants.ours.names.contract)]),
    await send(path, [['authorization', `Basic ${billingId}`]]),
  ],
})

/** Returns a token with other claims, but the account's own signature. */
function forged(claims: object): string {
  const [head = '', payload = '', signature = ''] = token.split('.')
  const own = asObject(JSON.parse(Buffer.from(payload, 'base64url').toString()))
  const other = Buffer.from(JSON.stringify({ ...own, ...claims })).toString('base64url')
  return `${head}.${other}.${signature}`
}

/** Replaces names with placeholders. Keeps numbers, because a schema's id `1` may also be the `1` of a version. */
const told = ({ status, header, body }: Answer, names: TenantNames) => {
  let text = body
  for (const [name, value] of Object.entries(names))
    if (!/^\d+$/.test(value)) text = text.replaceAll(value, `<${name}>`)
  return { status, code: header('svc-error'), length: body.length, text }
}

const paths = [...takersOf(unusable()).keys()]

/** Dependencies that are enough to list the paths, which are never served. */
function unusable(): Parameters<typeof takersOf>[0] {
  return {} as Parameters<typeof takersOf>[0]
}

test('every path of ingest has its case', () => {
  expect(Object.keys(forms).toSorted()).toEqual(paths.toSorted())
})

test.each(paths.flatMap((path) => Object.keys(asksOn(path)).map((what) => [path, what] as const)))(
  'on %s %s of another account is refused as if nobody had it',
  async (path, what) => {
    const { theirs, nobodys } = tenants
    const ask = asksOn(path)[what]
    const about = ((await ask?.(theirs.names)) ?? []).map((answer) => told(answer, theirs.names))
    const ofNobody = ((await ask?.(nobodys)) ?? []).map((answer) => told(answer, nobodys))
    expect(about).toEqual(ofNobody)
    expect(about.length).toBeGreaterThan(0)
    for (const { status } of about) expect([400, 401]).toContain(status)
  },
)

test.each(paths)('what is sent to %s lies in one’s own stream, whatever it says', async (path) => {
  const { ours, theirs } = tenants
  const { billingId } = theirs.names
  const example = asObject((await exampleEvent('clickstream'))['svcMeta'])
  const svcMeta = { ...example, schemaId: theirs.names.contract, billingId }
  const before = (await reader.read(ours.input.topic)).length
  const answer = await send(path, [bearer(token), schema(ours.names.contract)], { svcMeta })
  expect([200, 204]).toContain(answer.status)
  const records = await reader.readUntil(ours.input.topic, before + 1)
  const contract = await compiledExample('clickstream')
  for (const record of records) {
    const meta = asObject(plainEvent(contract, record)['svcMeta'])
    expect(meta['billingId']).toBe(ours.names.billingId)
    expect(meta['schemaId']).toBe(ours.names.contract)
  }
  expect(await reader.read(theirs.input.topic)).toEqual([])
})

test('with a token of the other account one’s own contract is unknown, as any other', async () => {
  const { ours, theirs, nobodys } = tenants
  for (const path of paths) {
    const answers = [ours.names, nobodys].map(async (names) =>
      told(await send(path, [bearer(theirToken), schema(names.contract)]), names),
    )
    const [about, ofNobody] = await Promise.all(answers)
    expect(about).toEqual(ofNobody)
    expect(about?.code).toBe('unknown_schema_id')
  }
  expect(await reader.read(theirs.input.topic)).toEqual([])
})
