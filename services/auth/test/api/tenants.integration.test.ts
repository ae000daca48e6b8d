// Accounts can't see each other through auth. A request with another account's names, ids or credentials, on any route,
// gets the same response as if these did not exist. The test doesn't compare response times.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { foreignPaths, makeTenants, namesIn, tenantsContract, withoutNames } from '@weir/testkit'
import type { TenantNames, Tenants } from '@weir/testkit'
import { needsOf } from '../../src/api/route-needs.ts'
import { routesOfAuth } from './routes-of.ts'
import { joinAuth, send } from '../support.ts'
import type { RequestOptions, SharedAuth } from '../support.ts'

let auth: SharedAuth
let tenants: Tenants
let theirsBefore: readonly string[]

beforeAll(async () => {
  auth = await joinAuth()
  tenants = await makeTenants(auth.url)
  theirsBefore = await everythingOf(tenants.theirs)
})
afterAll(() => auth.stop())

/** An account's requests about another account, one for each way to name it. */
type Ask = (
  about: TenantNames,
  ours: TenantNames,
) => readonly (RequestOptions & { query?: string })[]

const plainly: Ask = () => [{}]
const json =
  (body: (about: TenantNames) => unknown): Ask =>
  (about) => [{ json: body(about) }]

/** The requests to `/v1` and `/v2`. */
const management: Readonly<Record<string, Ask>> = {
  'GET /account': plainly,
  'GET /account/purposes': plainly,
  'PUT /account/purposes': json(() => [{ name: 'p', title: 'p', level: 1 }]),
  'POST /accounts': json(({ billingId }) => ({ billingId })),
  'DELETE /accounts/:billingId': plainly,
  'POST /accounts/:billingId/keys': plainly,
  'GET /api-keys': plainly,
  'POST /api-keys': json(({ billingId }) => ({ name: 'of the tests', billingId })),
  'DELETE /api-keys/:keyId': plainly,
  'GET /audit': () => [{ query: 'from=2020-01-01&until=2020-01-02' }, { query: 'limit=0' }],
  'GET /audit/chain': plainly,
  'GET /keys': plainly,
  'POST /keys/rotations': plainly,
  'POST /platform/signing-keys/rotate': plainly,
  'GET /platform/accounts/:billingId/quotas': plainly,
  'PUT /platform/accounts/:billingId/quotas': json(() => ({ streams: 1 })),
  'GET /streams': plainly,
  'POST /streams': json(() => ({ name: 'Not a name' })), // other tests use valid names
  'GET /streams/:stream': plainly,
  'PATCH /streams/:stream': json(() => ({ enabled: false })),
  'DELETE /streams/:stream': () => [{}, { query: 'recursive=true' }],
  'GET /streams/:stream/usage': () => [{}, { query: 'by=1d&format=csv' }],
  'GET /streams/:stream/erasures': plainly,
  'POST /streams/:stream/erasures': () => [
    { json: { keyFieldValue: 'somebody' } },
    { json: { keyFieldValues: ['somebody'], levels: [1] } },
  ],
  'POST /streams/:stream/subjects/lookup': json(() => ({ subject: 'somebody' })),
  'POST /streams/:stream/subject-access': json(() => ({ keyFieldValue: 'somebody' })),
  'POST /people/search': json(({ stream }) => ({ value: 'somebody', streams: [stream] })),
  'GET /people/searches/:search': plainly,
  'GET /streams/:stream/erasures/:erasure': plainly,
  'PATCH /streams/:stream/erasures/:erasure': json(() => ({ dueOn: '2999-12-24' })),
  'GET /streams/:stream/erasures/:erasure/receipt': plainly,
  'GET /streams/:stream/outputs': plainly,
  'POST /streams/:stream/outputs': json(({ output: name }) => ({
    name,
    consentLevels: [1],
    consentLevelType: 'CUMULATIVE',
  })),
  'GET /streams/:stream/outputs/:output': plainly,
  'PATCH /streams/:stream/outputs/:output': json(() => ({ enabled: false })),
  'DELETE /streams/:stream/outputs/:output': plainly,
  'POST /streams/:stream/credentials': () => [{}, { json: { scope: 'listen' } }],
  'DELETE /streams/:stream/credentials/:clientId': plainly,
  'POST /streams/:stream/outputs/:output/rebuild': plainly,
  'POST /streams/:stream/outputs/:output/credentials': plainly,
  'DELETE /streams/:stream/outputs/:output/credentials/:clientId': plainly,
  'GET /contracts': plainly,
  'POST /contracts': (about) => [{ json: contractOfSubject(about) }],
  'GET /contracts/:contract': plainly,
  'POST /contracts/:contract/archive': plainly,
}

const tokens: Readonly<Record<string, Ask>> = {
  'POST /auth': (about, ours) => secretsAbout(about, ours).map((secrets) => ({ json: secrets })),
  'POST /refresh': json(({ clientId }) => ({ refreshToken: clientId })),
  'POST /oauth2/token': (about, ours) =>
    secretsAbout(about, ours).map(({ clientId, clientSecret }) => {
      const form = { client_id: clientId, client_secret: clientSecret }
      const body = new URLSearchParams({ grant_type: 'client_credentials', ...form })
      return { body: body.toString() }
    }),
  'GET /.well-known/jwks.json': plainly,
  'GET /.well-known/openid-configuration': plainly,
}

/** The requests to `/registry`. */
const reading: Readonly<Record<string, Ask>> = {
  'GET /schemas/types': plainly,
  'GET /schemas/ids/:schemaId': () => [{}, { query: 'fetchMaxId=true' }],
  'GET /schemas/ids/:schemaId/schema': plainly,
  'GET /schemas/ids/:schemaId/subjects': plainly,
  'GET /schemas/ids/:schemaId/versions': plainly,
  'GET /subjects': ({ subject }) => [{}, { query: `subjectPrefix=${subject}` }],
  'GET /subjects/:subject/versions': plainly,
  'GET /subjects/:subject/versions/:version': plainly,
  'GET /subjects/:subject/versions/:version/schema': plainly,
  'GET /config': plainly,
  'GET /config/:subject': plainly,
  'GET /mode': plainly,
  'GET /mode/:subject': plainly,
}

const asks: Readonly<Record<string, Ask>> = {
  ...tokens,
  ...Object.fromEntries(
    Object.entries(reading).map(([route, ask]) => [route.replace(' ', ' /registry'), ask]),
  ),
  ...Object.fromEntries(
    Object.entries(management).flatMap(([route, ask]) =>
      ['/v1', '/v2'].map((version) => [route.replace(' ', ` ${version}`), ask]),
    ),
  ),
}

/** Another account's clientId, with several secrets. */
const secretsAbout = ({ clientId }: TenantNames, { billingId }: TenantNames) =>
  ['', tenants.ours.input.clientSecret, 'no secret at all'].map((clientSecret) => ({
    billingId,
    clientId,
    clientSecret,
  }))

/** A contract for a subject that may be another account's. The other members test which fields its schema has. */
const contractOfSubject = ({ subject }: TenantNames) => ({
  id: 'a-probe',
  schema: { schema_type: 'avro', schema_registry_ref: `${subject}/latest` },
  validations: [{ field: 'url', type: 'regex', value: '^.+$' }],
  key_field: 'producerSessionId',
  pii_fields: { 'customer/id': 0, noSuchField: 1 },
})

/** Returns the responses to all requests about another account on a route. */
async function answersAbout(route: string, about: TenantNames) {
  const { account, names: ours } = tenants.ours
  const [method = '', template = ''] = route.split(' ')
  // Token requests contain their credentials in the body.
  const own = /^\/(v\d|registry)\//.test(template) ? { bearer: account.apiKey } : {}
  const paths = template.includes(':') ? foreignPaths(template, ours, about) : [template]
  const asked = paths.flatMap((path) =>
    (asks[route]?.(about, ours) ?? []).map(({ query, ...options }) => {
      const url = `${auth.url}${path}${query === undefined ? '' : `?${query}`}`
      return send(url, { method, ...own, ...options })
    }),
  )
  return (await Promise.all(asked)).map((reply) => {
    expect(namesIn(reply.text, otherNames(about))).toEqual([])
    return withoutNames(isGuess(route, reply.status) ? noPlatformKey : reply, about)
  })
}

/**
 * Whether auth refused a guess of the platform key. Auth does so before any look-up, with 401 or, after several
 * guesses, 429.
 */
const isGuess = (route: string, status: number): boolean =>
  needsOf(route) === 'platform' && (status === 401 || status === 429)
const noPlatformKey = { status: 401, headers: new Headers(), text: 'no platform key' }

const isRefused = (status: number): boolean => status === 401 || status === 404

/** Names that a request does not contain, so its response must not contain them, either. */
const otherNames = (about: TenantNames): TenantNames =>
  about === tenants.nobodys ? tenants.theirs.names : tenants.nobodys

const everythingOf = async ({ account, names }: Tenants['ours']) =>
  Promise.all(
    ['/account', '/streams', `/streams/${names.stream}/outputs`, '/contracts'].map(
      async (path) => (await account.call('GET', `/v2${path}`)).text,
    ),
  )

/** Routes whose responses contain no account's data. */
const isForAnyone = (route: string): boolean =>
  / \/($|docs|favicon\.ico|openapi\.json|verify|v2\/receipts\/verify)/.test(route)

test('every route of auth has its case', () => {
  const routes = routesOfAuth().filter((route) => !isForAnyone(route))
  expect(Object.keys(asks).toSorted()).toEqual(routes.toSorted())
})

describe("asked about another account's", () => {
  test.each(Object.keys(asks))('things, %s answers as if there were none', async (route) => {
    const about = await answersAbout(route, tenants.theirs.names)
    expect(about).toEqual(await answersAbout(route, tenants.nobodys))
    expect(about.length).toBeGreaterThan(0)
    const isAllowed = ({ status }: { status: number }) => !route.includes(':') || isRefused(status)
    expect(about.every(isAllowed)).toBe(true)
  })

  test.each(['billingId', 'clientId'] as const)(
    '%s, with a secret that is right for oneself, there is no token',
    async (name) => {
      const { ours, theirs, nobodys } = tenants
      const { clientId, clientSecret } = ours.input
      const right = { billingId: ours.names.billingId, clientId, clientSecret }
      const ask = async (about: TenantNames) => {
        const reply = await send(`${auth.url}/auth`, {
          method: 'POST',
          json: { ...right, [name]: about[name] },
        })
        return withoutNames(reply, about)
      }
      const about = await ask(theirs.names)
      expect(about).toEqual(await ask(nobodys))
      expect(about.status).toBe(401)
    },
  )

  test('tokens, they are of no use as keys of management', async () => {
    const { theirs } = tenants
    const { names, input } = theirs
    const token = await theirs.account.token(input)
    const managing = routesOfAuth().filter((each) => / \/v\d\//.test(each) && !isForAnyone(each))
    const statusOf = async (bearer: string, route: string) => {
      const [method = '', template = ''] = route.split(' ')
      const path = foreignPaths(template, names, names)[0] ?? template
      const body = method === 'GET' ? {} : { json: {} }
      const { status } = await send(auth.url + path, { method, bearer, ...body })
      return { route, status }
    }
    for (const bearer of [token, input.clientSecret, input.clientId, names.billingId]) {
      const answered = await Promise.all(managing.map((route) => statusOf(bearer, route)))
      // After ten guesses in a minute the status is 429.
      expect(answered.filter(({ status }) => status !== 401 && status !== 429)).toEqual([])
      expect(answered).toHaveLength(managing.length)
    }
  })
})

describe("what is named like another account's", () => {
  test('can be made, and is one’s own', async () => {
    const { ours, theirs } = tenants
    const { stream, output, contract } = theirs.names
    const made = await ours.account.input(stream)
    expect(made.topic).toBe(`${ours.names.billingId}.${stream}`)
    await ours.account.output(ours.names.stream, output, { consentLevels: [1] })
    const body = await tenantsContract({ contract, subject: tenants.nobodys.subject })
    expect((await ours.account.call('POST', '/v2/contracts', body)).status).toBe(201)
    await ours.account.call('DELETE', `/v2/streams/${stream}`)
    await ours.account.call('DELETE', `/v2/streams/${ours.names.stream}/outputs/${output}`)
    await ours.account.call('POST', `/v2/contracts/${contract}/archive`)
  })

  test('cannot be registered, for a subject is one account’s, and nothing tells whose', async () => {
    const { ours, theirs } = tenants
    const body = await tenantsContract({ contract: 'own', subject: theirs.names.subject })
    const reply = await ours.account.call('POST', '/v2/contracts', body)
    expect(reply.status).toBe(422)
    expect(reply.text).not.toContain('account')
    expect(namesIn(reply.text, { ...theirs.names, subject: 'nothing to be found' })).toEqual([])
  })
})

test('of all this the other account has noticed nothing', async () => {
  expect(await everythingOf(tenants.theirs)).toEqual(theirsBefore)
})
