import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  makeAccount,
  problem,
  problemsOf,
  secretsOf,
  send,
  joinAuth,
  uniqueName,
} from '../support.ts'
import type { Account, Reply, Secrets, SharedAuth } from '../support.ts'

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const secret = expect.stringMatching(/^[\w-]{43}$/)

let auth: SharedAuth
let account: Account
let input: string
let output: string

beforeAll(async () => {
  auth = await joinAuth()
  account = await makeAccount(auth)
  input = uniqueName('in')
  output = uniqueName('out')
  await account.post('/v2/streams', { name: input })
  await account.post(`/v2/streams/${input}/outputs`, {
    name: output,
    consentLevels: [0],
    consentLevelType: 'CUMULATIVE',
  })
})
afterAll(() => auth.stop())

const token = (secrets: Secrets): Promise<Reply> =>
  send(`${auth.url}/auth`, { method: 'POST', json: { billingId: account.billingId, ...secrets } })

const clientIds = async (path: string): Promise<unknown[]> => {
  const { json } = await account.get(path)
  const credentials: unknown = json['credentials']
  return Array.isArray(credentials) ? credentials.map((each: unknown) => each) : []
}

describe('making credentials', () => {
  test.each(['v1', 'v2'])(
    '/%s answers 201 with a secret that gives tokens at once',
    async (version) => {
      const made = await account.post(`/${version}/streams/${input}/credentials`)
      expect(made.status).toBe(201)
      expect(made.headers.get('cache-control')).toBe('no-store')
      expect(made.json).toEqual({
        clientId: uuid,
        clientSecret: secret,
        scope: ['send', 'listen'],
      })
      expect((await token(secretsOf(made))).status).toBe(200)
    },
  )

  test('leaves the ones before as they are', async () => {
    const name = uniqueName('in')
    const first = secretsOf(await account.post('/v2/streams', { name }))
    const second = secretsOf(await account.post(`/v2/streams/${name}/credentials`, {}))
    expect(await clientIds(`/v2/streams/${name}`)).toEqual([
      expect.objectContaining({ clientId: first.clientId }),
      expect.objectContaining({ clientId: second.clientId }),
    ])
    for (const secrets of [first, second]) expect((await token(secrets)).status).toBe(200)
    expect((await account.get(`/v1/streams/${name}`)).json['credentials']).toMatchObject({
      clientId: second.clientId,
    })
  })

  test.each([
    [{ scope: 'send' }, ['send']],
    [{ scope: ['listen'] }, ['listen']],
    [{ scope: ['listen', 'send'] }, ['listen', 'send']],
  ])('takes the scope %p', async (json, scope) => {
    const made = await account.post(`/v2/streams/${input}/credentials`, json)
    expect(made.json).toMatchObject({ scope })
  })

  test("an output's only listen", async () => {
    const path = `/v2/streams/${input}/outputs/${output}/credentials`
    expect((await account.post(path)).json).toMatchObject({ scope: ['listen'] })
    const refused = await account.post(path, { scope: ['send'] })
    expect(refused.status).toBe(422)
    expect(refused.json).toEqual({
      ...problem(422, 'invalid_scope'),
      problems: ['scope must be listen: nothing can be sent to a derived stream'],
    })
  })

  test('is refused with 422 for a scope that is not known', async () => {
    for (const scope of ['read', [], ['send', 'send'], 1]) {
      const reply = await account.post(`/v2/streams/${input}/credentials`, { scope })
      expect(reply.status).toBe(422)
      expect(problemsOf(reply)).toEqual([expect.stringMatching(/^scope must /)])
    }
  })

  test('is refused with 409 beyond twenty', async () => {
    const name = uniqueName('in')
    await account.post('/v2/streams', { name })
    for (let count = 1; count < 20; count++)
      expect((await account.post(`/v2/streams/${name}/credentials`)).status).toBe(201)
    const reply = await account.post(`/v2/streams/${name}/credentials`)
    expect(reply.status).toBe(409)
    expect(reply.json).toEqual(problem(409, 'too_many_credentials'))
  })

  test('is refused with 404 for a stream that is not there, or is no output of this input', async () => {
    for (const path of ['nothing', output, `${input}/outputs/nothing`, `nothing/outputs/${output}`])
      expect((await account.post(`/v2/streams/${path}/credentials`)).status).toBe(404)
  })
})

describe('deleting credentials', () => {
  test('answers 200, and from then on they give no token and their refresh tokens are dead', async () => {
    const made = secretsOf(await account.post(`/v2/streams/${input}/credentials`))
    const tokens = await token(made)
    const reply = await account.delete(`/v2/streams/${input}/credentials/${made.clientId}`)
    expect(reply.status).toBe(200)
    expect(reply.json).toEqual({
      deleted: [
        {
          clientId: made.clientId,
          scope: ['send', 'listen'],
          createdAt: expect.any(String),
        },
      ],
    })
    expect((await token(made)).status).toBe(401)
    const refreshed = await send(`${auth.url}/refresh`, { method: 'POST', json: tokens.json })
    expect(refreshed.status).toBe(401)
    expect(refreshed.json).toMatchObject({ code: 'invalid_credentials' })
  })

  test('works under an output, and the last ones may go too', async () => {
    const name = uniqueName('out')
    const made = await account.post(`/v1/streams/${input}/outputs`, {
      name,
      consentLevels: [0],
      consentLevelType: 'CUMULATIVE',
    })
    const { clientId } = secretsOf(made)
    const path = `streams/${input}/outputs/${name}`
    expect((await account.delete(`/v2/${path}/credentials/${clientId}`)).status).toBe(200)
    expect(await clientIds(`/v2/${path}`)).toEqual([])
    expect((await account.get(`/v1/${path}`)).json['credentials']).toBeNull()
  })

  test('is refused with 404 for credentials that are not there, or belong to another stream', async () => {
    const other = uniqueName('in')
    const { clientId } = secretsOf(await account.post('/v2/streams', { name: other }))
    for (const id of [clientId, 'nothing']) {
      const reply = await account.delete(`/v2/streams/${input}/credentials/${id}`)
      expect(reply.status).toBe(404)
      expect(reply.json).toEqual(problem(404, 'not_found'))
    }
  })
})
