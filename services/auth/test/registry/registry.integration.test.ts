// /registry as Confluent's clients use it: an account's schemas, readable only with its own credentials.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createRegistry } from '@weir/schema-registry'
import { exampleContract } from '@weir/testkit'
import {
  makeAccount,
  registryUrl,
  secretsOf,
  send,
  joinAuth,
  textOf,
  uniqueName,
} from '../support.ts'
import type { Account, Json, Reply, Secrets, SharedAuth } from '../support.ts'

type Reader = { readonly account: Account; readonly secrets: Secrets; readonly output: Secrets }

let auth: SharedAuth
let ours: Reader
let theirs: Reader

beforeAll(async () => {
  auth = await joinAuth()
  ;[ours, theirs] = await Promise.all([makeReader(), makeReader()])
})
afterAll(() => auth.stop())

async function makeReader(): Promise<Reader> {
  const account = await makeAccount(auth)
  const secrets = secretsOf(await account.post('/v2/streams', { name: 'in' }))
  const json = { name: 'out', consentLevels: [1], consentLevelType: 'CUMULATIVE' }
  const output = secretsOf(await account.post('/v2/streams/in/outputs', json))
  return { account, secrets, output }
}

type Published = { readonly id: number; readonly subject: string; readonly definition: unknown }

/** Publishes the clickstream schema. A different `mark` gives a different schema. */
async function publish({ account }: Reader, subject: string, mark = ''): Promise<Published> {
  const example = await exampleContract('clickstream')
  const schema = asJson(example['schema'])
  const definition = { ...asJson(schema['definition']), mark }
  const reply = await account.post('/v2/contracts', {
    ...example,
    id: uniqueName('c'),
    schema: { ...schema, definition, schema_registry_ref: `${subject}/latest` },
  })
  expect(reply.status).toBe(201)
  return { id: Number(asJson(reply.json['schema'])['schema_registry_id']), subject, definition }
}

const asJson = (value: unknown): Json => value as Json

const basic = ({ clientId, clientSecret }: Secrets): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
})

const read = (path: string, { secrets }: Reader = ours): Promise<Reply> =>
  send(`${auth.url}/registry${path}`, { headers: basic(secrets) })

const bodyOf = (reply: Reply): unknown => {
  expect({ status: reply.status, body: reply.text }).toMatchObject({ status: 200 })
  expect(reply.headers.get('content-type')).toBe('application/vnd.schemaregistry.v1+json')
  return JSON.parse(reply.text)
}

const refused = (status: number, error_code: number) => ({
  status,
  type: 'application/vnd.schemaregistry.v1+json',
  body: { error_code, message: expect.any(String) },
})
const refusalIn = ({ status, headers, json }: Reply) => ({
  status,
  type: headers.get('content-type'),
  body: json,
})

describe('an account reads its schemas', () => {
  let first: Published
  let second: Published
  const subject = uniqueName('sub')

  beforeAll(async () => {
    first = await publish(ours, subject, 'first')
    second = await publish(ours, subject, 'second')
    await publish(theirs, uniqueName('sub'), 'theirs')
  })

  test('by the id in their records, as text, with subjects and versions', async () => {
    const { schema, ...rest } = asJson(bodyOf(await read(`/schemas/ids/${first.id}`)))
    expect(JSON.parse(String(schema))).toEqual(first.definition)
    expect(rest).toEqual({})
    const known = `fetchMaxId=true&subject=${ours.account.billingId}.out-value&format=`
    expect(bodyOf(await read(`/schemas/ids/${first.id}?${known}`))).toEqual({
      schema,
      maxId: second.id,
    })
    expect(bodyOf(await read(`/schemas/ids/${first.id}/schema`))).toEqual(first.definition)
    expect(bodyOf(await read(`/schemas/ids/${second.id}/subjects`))).toEqual([subject])
    expect(bodyOf(await read(`/schemas/ids/${second.id}/versions`))).toEqual([
      { subject, version: 2 },
    ])
    expect(bodyOf(await read('/schemas/types'))).toEqual(['AVRO'])
  })

  test('by subject and version, and sees no subject but its own', async () => {
    expect(bodyOf(await read('/subjects'))).toEqual([subject])
    expect(bodyOf(await read('/subjects?subjectPrefix=:*:&deleted=false'))).toEqual([subject])
    expect(bodyOf(await read('/subjects?subjectPrefix=no'))).toEqual([])
    expect(bodyOf(await read('/subjects?offset=1&limit=5'))).toEqual([])
    const versions = `/subjects/${subject}/versions`
    expect(bodyOf(await read(versions))).toEqual([1, 2])
    expect(bodyOf(await read(`${versions}?limit=1`))).toEqual([1])
    for (const [version, known] of [
      ['1', first],
      ['2', second],
      ['latest', second],
      ['-1', second],
    ] as const) {
      const told = asJson(bodyOf(await read(`${versions}/${version}`)))
      expect(told).toEqual({
        subject,
        version: known === first ? 1 : 2,
        id: known.id,
        schema: expect.any(String),
      })
      expect(JSON.parse(textOf(told, 'schema'))).toEqual(known.definition)
    }
    expect(bodyOf(await read(`${versions}/latest/schema`))).toEqual(second.definition)
  })

  test('and settings that are nobody’s to change', async () => {
    expect(bodyOf(await read('/config'))).toEqual({ compatibilityLevel: 'NONE' })
    expect(bodyOf(await read(`/config/${subject}`))).toEqual({ compatibilityLevel: 'NONE' })
    expect(bodyOf(await read('/config/other?defaultToGlobal=true'))).toEqual({
      compatibilityLevel: 'NONE',
    })
    expect(bodyOf(await read('/mode'))).toEqual({ mode: 'READONLY' })
    expect(bodyOf(await read(`/mode/${subject}`))).toEqual({ mode: 'READONLY' })
  })

  test('with credentials of inputs and outputs, their tokens, and API keys', async () => {
    const { account, secrets, output } = ours
    const token = async (of: Secrets): Promise<string> => {
      const json = { billingId: account.billingId, ...of }
      return textOf((await send(`${auth.url}/auth`, { method: 'POST', json })).json, 'idToken')
    }
    const ways = [
      basic(secrets),
      basic(output),
      ...[await token(secrets), await token(output), account.apiKey].map((bearer) => ({
        authorization: `Bearer ${bearer}`,
      })),
    ]
    for (const headers of ways)
      expect(bodyOf(await send(`${auth.url}/registry/subjects`, { headers }))).toEqual([subject])
  })

  test('but nobody writes: other methods are refused, in the form that clients read', async () => {
    const headers = basic(ours.secrets)
    for (const [method, path] of [
      ['POST', `/subjects/${subject}/versions`],
      ['PUT', `/config/${subject}`],
      ['PUT', '/config'],
      ['DELETE', `/subjects/${subject}/versions/1`],
    ] as const) {
      const reply = await send(`${auth.url}/registry${path}`, { method, headers, body: '{}' })
      expect(refusalIn(reply)).toEqual(refused(405, 405))
      expect(reply.headers.get('allow')).toBe('GET, HEAD')
    }
    expect(refusalIn(await send(`${auth.url}/registry/apis`, { headers }))).toEqual(
      refused(404, 404),
    )
  })
})

describe("what isn't an account's own", () => {
  test.each([
    ['/schemas/ids/', 'id', 40403],
    ['/subjects/', 'subject', 40401],
    ['/config/', 'subject', 40401],
    ['/mode/', 'subject', 40401],
  ] as const)('%s%s answers 404 %i, the same as for none', async (folder, name, code) => {
    const foreign = await publish(theirs, uniqueName('sub'), uniqueName('theirs'))
    const own = { id: String(foreign.id), subject: foreign.subject }
    const none = { id: own.id.replaceAll(/./g, '9'), subject: uniqueName('sub') }
    const pathTo = (of: typeof own) =>
      `${folder}${of[name]}${folder === '/subjects/' ? '/versions' : ''}`
    const about = async (of: typeof own) => {
      const reply = await read(pathTo(of))
      expect(refusalIn(reply)).toEqual(refused(404, code))
      const headers = [...reply.headers].filter(([each]) => !/^(date|svc-request-id)$/.test(each))
      return { headers, text: reply.text.replace(new RegExp(`\\b${of[name]}\\b`), '<it>') }
    }
    expect(await about(own)).toEqual(await about(none))
    expect((await read(pathTo(own), theirs)).status).toBe(200)
  })

  test('is not told of by the same schema under a subject of one’s own, nor by its id', async () => {
    const mark = uniqueName('common')
    const mine = await publish(ours, uniqueName('sub'), mark)
    const foreign = await publish(theirs, uniqueName('sub'), mark)
    // Weir's own registry gives equal schemas of two accounts different ids, so an id does not reveal who else has that
    // schema.
    expect(foreign.id).toBeGreaterThan(mine.id)
    expect(refusalIn(await read(`/schemas/ids/${foreign.id}`))).toEqual(refused(404, 40403))
    for (const [path, own] of [
      ['subjects', [mine.subject]],
      ['versions', [{ subject: mine.subject, version: 1 }]],
    ] as const)
      expect(bodyOf(await read(`/schemas/ids/${mine.id}/${path}`))).toEqual(own)
  })

  test('versions that no contract names are not there, whoever registered them', async () => {
    const { subject, definition } = await publish(ours, uniqueName('sub'))
    const strangers = { ...asJson(definition), mark: 'a stranger’s' }
    await createRegistry(registryUrl).register(subject, JSON.stringify(strangers))
    expect(bodyOf(await read(`/subjects/${subject}/versions`))).toEqual([1])
    expect(refusalIn(await read(`/subjects/${subject}/versions/2`))).toEqual(refused(404, 40402))
    for (const version of ['0', 'newest', '2147483648'])
      expect(refusalIn(await read(`/subjects/${subject}/versions/${version}`))).toEqual(
        refused(422, 42202),
      )
  })
})

describe('whoever proves nothing', () => {
  test('gets 401, and is told how to ask', async () => {
    const token = { authorization: 'Bearer eyJhbGciOiJSUzI1NiJ9.e30.c2ln' }
    const wrong = { ...ours.secrets, clientSecret: theirs.secrets.clientSecret }
    const cases = [
      {},
      basic(wrong),
      token,
      { authorization: 'Bearer weir_no' },
      { authorization: 'Basic !' },
    ]
    for (const headers of cases) {
      const reply = await send(`${auth.url}/registry/subjects`, { headers })
      expect(refusalIn(reply)).toEqual(refused(401, 401))
      expect(reply.headers.get('www-authenticate')).toBe('Basic realm="weir"')
    }
  })

  test('fails as often as at /auth, and is then told to wait; right secrets are never held up', async () => {
    const wrong = basic({ ...theirs.output, clientSecret: 'wrong' })
    const replies: Reply[] = []
    for (let attempt = 0; attempt < 11; attempt += 1)
      replies.push(await send(`${auth.url}/registry/subjects`, { headers: wrong }))
    const last = replies.at(-1)
    expect(last && refusalIn(last)).toEqual(refused(429, 429))
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0)
    const headers = basic(theirs.output)
    expect((await send(`${auth.url}/registry/subjects`, { headers })).status).toBe(200)
  })

  test('revoked credentials read no more, nor do their tokens', async () => {
    const { account } = theirs
    const made = secretsOf(await account.post('/v2/streams/in/credentials', {}))
    const json = { billingId: account.billingId, ...made }
    const tokens = await send(`${auth.url}/auth`, { method: 'POST', json })
    const ways = [basic(made), { authorization: `Bearer ${textOf(tokens.json, 'idToken')}` }]
    const statuses = async () => {
      const replies = ways.map((headers) => send(`${auth.url}/registry/subjects`, { headers }))
      return (await Promise.all(replies)).map(({ status }) => status)
    }
    expect(await statuses()).toEqual([200, 200])
    await account.delete(`/v2/streams/in/credentials/${made.clientId}`)
    expect(await statuses()).toEqual([401, 401])
  })
})
