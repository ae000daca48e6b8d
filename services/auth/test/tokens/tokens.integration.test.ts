import { createPublicKey, verify } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { joinAuth, makeAccount, secretsOf, send, textOf, uniqueName } from '../support.ts'
import type { Account, Json, Reply, Secrets, SharedAuth } from '../support.ts'

const issuer = 'http://auth.test'

let auth: SharedAuth
let account: Account
let stream: string
let secrets: Secrets

beforeAll(async () => {
  auth = await joinAuth()
  account = await makeAccount(auth)
  stream = uniqueName('in')
  secrets = secretsOf(await account.post('/v2/streams', { name: stream }))
})
afterAll(() => auth.stop())

const post = (path: string, json: unknown): Promise<Reply> =>
  send(`${auth.url}${path}`, { method: 'POST', json })
const ask = (more: object = {}): Promise<Reply> =>
  post('/auth', { billingId: account.billingId, ...secrets, ...more })

const wrong = {
  code: 'invalid_credentials',
  message: 'The credentials are wrong, expired or revoked, or belong to another billing id',
}

function partsOf(token: string): { header: Json; claims: Json; signed: Buffer; signature: Buffer } {
  const [header = '', claims = '', signature = ''] = token.split('.')
  const decode = (part: string): Json => {
    const parsed: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    if (typeof parsed !== 'object' || parsed === null) throw new Error('no JSON object')
    return { ...parsed }
  }
  return {
    header: decode(header),
    claims: decode(claims),
    signed: Buffer.from(`${header}.${claims}`),
    signature: Buffer.from(signature, 'base64url'),
  }
}

async function verifies(token: string): Promise<boolean> {
  const { header, signed, signature } = partsOf(token)
  const { json } = await send(`${auth.url}/.well-known/jwks.json`)
  const keys: unknown = json['keys']
  const jwk = (Array.isArray(keys) ? keys : []).find((key: Json) => key['kid'] === header['kid'])
  return verify('sha256', signed, createPublicKey({ key: jwk, format: 'jwk' }), signature)
}

describe('POST /auth', () => {
  test('answers 200 with exactly idToken, refreshToken and expiresAt', async () => {
    const before = Math.floor(Date.now() / 1000)
    const reply = await ask()
    expect(reply.status).toBe(200)
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(Object.keys(reply.json)).toEqual(['idToken', 'refreshToken', 'expiresAt'])
    const expiresAt = Number(reply.json['expiresAt'])
    expect(expiresAt - before).toBeGreaterThanOrEqual(3600)
    expect(expiresAt - before).toBeLessThan(3660)
  })

  test('the idToken is an RS256 JWT that verifies against JWKS and names account, stream and kind', async () => {
    const { json } = await ask()
    const token = textOf(json, 'idToken')
    const { header, claims } = partsOf(token)
    expect(header).toEqual({ alg: 'RS256', typ: 'JWT', kid: expect.any(String) })
    expect(claims).toEqual({
      iss: issuer,
      sub: secrets.clientId,
      aud: 'weir',
      iat: Number(json['expiresAt']) - 3600,
      exp: json['expiresAt'],
      jti: expect.any(String),
      billingId: account.billingId,
      stream,
      streamId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      kind: 'input',
    })
    expect(await verifies(token)).toBe(true)
    expect(await verifies(textOf(json, 'refreshToken'))).toBe(true)
  })

  test.each([[undefined], ['reader']])(
    "an output's token says derived, and decryptAt if that is %s",
    async (decryptAt) => {
      const name = uniqueName('out')
      const made = await account.post(`/v2/streams/${stream}/outputs`, {
        name,
        consentLevels: [1],
        consentLevelType: 'CUMULATIVE',
        decryptAt,
      })
      const { json } = await ask(secretsOf(made))
      const { claims } = partsOf(textOf(json, 'idToken'))
      expect(claims).toMatchObject({ kind: 'derived', stream: name })
      expect(claims['decryptAt']).toBe(decryptAt)
    },
  )

  test('an unknown client, a wrong secret and a wrong billing id get the same answer', async () => {
    const replies = [
      await ask({ clientSecret: 'wrong' }),
      await ask({ clientId: '2b7ba8a5-0000-4000-8000-000000000000' }),
      await ask({ clientId: 'no uuid' }),
      await ask({ billingId: 'someone-else' }),
    ]
    for (const { status, json, headers } of replies) {
      expect(status).toBe(401)
      expect(json).toEqual(wrong)
      expect(headers.get('retry-after')).toBeNull()
    }
  })

  test('what is malformed gets 400, and members nobody asked for are let through', async () => {
    for (const body of ['', '{', '[]', '{}', '"x"']) {
      const reply = await send(`${auth.url}/auth`, { method: 'POST', body })
      expect(reply.status).toBe(400)
      expect(Object.keys(reply.json)).toEqual(['code', 'message'])
    }
    for (const member of ['billingId', 'clientId', 'clientSecret'])
      for (const value of [undefined, '', 7])
        expect((await ask({ [member]: value })).status).toBe(400)
    expect((await ask({ grant: 'x' })).status).toBe(200)
  })

  test('a deleted stream gives no tokens, a disabled one does', async () => {
    const name = uniqueName('in')
    const own = secretsOf(await account.post('/v2/streams', { name }))
    await account.patch(`/v2/streams/${name}`, { enabled: false })
    expect((await ask(own)).status).toBe(200)
    await account.delete(`/v2/streams/${name}`)
    expect((await ask(own)).json).toEqual(wrong)
  })

  test('after ten failures in a minute comes 429 with Retry-After; the right secret is always accepted', async () => {
    const name = uniqueName('in')
    const own = secretsOf(await account.post('/v2/streams', { name }))
    const fail = () => ask({ ...own, clientSecret: 'wrong' })
    const first = await Promise.all(Array.from({ length: 10 }, fail))
    expect(new Set(first.map(({ status }) => status))).toEqual(new Set([401]))
    const eleventh = await fail()
    expect(eleventh.status).toBe(429)
    expect(eleventh.json).toEqual({ code: 'too_many_failures', message: expect.any(String) })
    expect(Number(eleventh.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(eleventh.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect((await ask(own)).status).toBe(200)
    expect((await ask({ clientSecret: 'wrong' })).status).toBe(401)
  })
})

describe('POST /refresh', () => {
  test('takes the refresh token, or the whole answer, and gives the same shape anew', async () => {
    const { json } = await ask()
    for (const body of [{ refreshToken: json['refreshToken'] }, json]) {
      const reply = await post('/refresh', body)
      expect(reply.status).toBe(200)
      expect(Object.keys(reply.json)).toEqual(['idToken', 'refreshToken', 'expiresAt'])
      expect(await verifies(textOf(reply.json, 'idToken'))).toBe(true)
    }
  })

  test('refuses an id token, a changed token and nonsense with 401', async () => {
    const { json } = await ask()
    const token = textOf(json, 'refreshToken')
    const bad = [textOf(json, 'idToken'), `${token.slice(0, -6)}AAAAAA`, 'x', `${token}.`]
    for (const refreshToken of bad) {
      const reply = await post('/refresh', { refreshToken })
      expect(reply.status).toBe(401)
      expect(reply.json).toEqual(wrong)
    }
  })

  test('is dead with its stream, also when the name is made anew', async () => {
    const name = uniqueName('in')
    const own = secretsOf(await account.post('/v2/streams', { name }))
    const { json } = await ask(own)
    await account.delete(`/v2/streams/${name}`)
    expect((await post('/refresh', json)).json).toEqual(wrong)
  })

  test('answers 400 without a refresh token', async () => {
    for (const body of [{}, { refreshToken: 1 }, []])
      expect((await post('/refresh', body)).status).toBe(400)
  })
})

describe('POST /oauth2/token', () => {
  const form = (fields: Record<string, string>, authorization?: string): Promise<Reply> =>
    send(`${auth.url}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(authorization === undefined ? {} : { authorization }),
      },
    })
  const basic = ({ clientId, clientSecret }: Secrets): string =>
    `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
  const grant = { grant_type: 'client_credentials' }
  const inForm = () => ({ client_id: secrets.clientId, client_secret: secrets.clientSecret })

  test('gives the id token for HTTP Basic and for a form', async () => {
    for (const reply of [
      await form(grant, basic(secrets)),
      await form({ ...grant, ...inForm() }),
    ]) {
      expect(reply.status).toBe(200)
      expect(reply.headers.get('cache-control')).toBe('no-store')
      expect(reply.json).toEqual({
        access_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'send listen',
      })
      const { claims } = partsOf(textOf(reply.json, 'access_token'))
      expect(claims).toMatchObject({ aud: 'weir', sub: secrets.clientId, stream })
    }
  })

  test('answers invalid_client with 401 and a challenge for wrong or missing credentials', async () => {
    const replies = [
      await form(grant, basic({ ...secrets, clientSecret: 'wrong' })),
      await form(grant, 'Basic %%%'),
      await form(grant, 'Bearer abc'),
      await form(grant),
      await form({ ...grant, ...inForm(), client_secret: 'wrong' }),
    ]
    for (const reply of replies) {
      expect(reply.status).toBe(401)
      expect(reply.json).toMatchObject({ error: 'invalid_client' })
      expect(reply.headers.get('www-authenticate')).toBe('Basic realm="weir"')
    }
  })

  test('answers 400 for another grant, for none, and for credentials in two places', async () => {
    expect((await form({ ...inForm(), grant_type: 'password' })).json).toMatchObject({
      error: 'unsupported_grant_type',
    })
    expect((await form(inForm())).json).toMatchObject({ error: 'invalid_request' })
    const twice = await form({ ...grant, ...inForm() }, basic(secrets))
    expect(twice.status).toBe(400)
    expect(twice.json).toMatchObject({ error: 'invalid_request' })
    const doubled = await send(`${auth.url}/oauth2/token`, {
      method: 'POST',
      body: 'grant_type=client_credentials&grant_type=client_credentials',
    })
    expect(doubled.json).toMatchObject({ error: 'invalid_request' })
  })
})

describe('discovery', () => {
  test('the configuration names the issuer of the tokens and where the keys are', async () => {
    const { json } = await send(`${auth.url}/.well-known/openid-configuration`)
    expect(json).toMatchObject({
      issuer,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      token_endpoint: `${issuer}/oauth2/token`,
    })
  })

  test('JWKS holds public keys alone', async () => {
    const reply = await send(`${auth.url}/.well-known/jwks.json`)
    const keys: unknown = reply.json['keys']
    if (!Array.isArray(keys)) throw new Error('no keys')
    expect(keys.length).toBeGreaterThan(0)
    const text: unknown = expect.any(String)
    const ofTokens = { kty: 'RSA', alg: 'RS256', n: text, e: 'AQAB', kid: text, use: 'sig' }
    const ofReceipts = {
      kty: 'EC',
      alg: 'ES256',
      crv: 'P-256',
      x: text,
      y: text,
      kid: text,
      use: 'sig',
    }
    expect(keys).toContainEqual(ofTokens)
    for (const key of keys) expect([ofTokens, ofReceipts]).toContainEqual(key)
  })
})
