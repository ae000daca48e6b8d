// Who may send: refused tokens, tokens whose right was revoked, and tokens that never had the right (spec
// Authentication 2, 3). A revocation takes effect within a second.
import { generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { asObject, signUp, expectStatus, textIn, within } from '@weir/testkit'
import type { Account, TestStream } from '@weir/testkit'
import { signIdToken } from '@weir/tokens'
import { protocols } from '../support/clients.ts'
import type { Answer, Header, Sent } from '../support/clients.ts'
import {
  bearer,
  expectAccepted,
  expectRefusal,
  expectRefusedByBoth,
  goodRequest,
  startScene,
} from '../support/scene.ts'
import type { Scene } from '../support/scene.ts'

const sentence = 'The token is missing, malformed, expired or revoked; get a new one'
const noBearer = 'An id token is needed, in the header Authorization: Bearer <idToken>'

let scene: Scene
let good: Required<Sent>
beforeAll(async () => {
  scene = await startScene()
  good = await goodRequest(scene.token)
})
afterAll(() => scene?.stop())

const withAuthorization = (...headers: Header[]): Required<Sent> => ({
  ...good,
  headers: [...good.headers.filter(([name]) => name !== 'authorization'), ...headers],
})

const send = (token: string): Promise<Answer> =>
  scene.clients['HTTP/2'].send(withAuthorization(bearer(token)))

const expectUnauthorized = (...headers: Header[]): Promise<void> =>
  expectUnauthorizedWith(sentence, ...headers)

async function expectUnauthorizedWith(body: string, ...headers: Header[]): Promise<void> {
  const request = withAuthorization(...headers)
  for (const protocol of protocols) {
    const answer = await scene.clients[protocol].send(request)
    expectRefusal(answer, 401, 'invalid_token', body)
    expect(answer.header('www-authenticate')).toBe('Bearer error="invalid_token"')
  }
}

/** Waits at most a second until the token gets this status. */
async function expectWithinASecond(token: string, status: number): Promise<Answer> {
  const look = async (): Promise<Answer | undefined> => {
    const answer = await send(token)
    return answer.status === status ? answer : undefined
  }
  return pollUntil(look, { deadlineMs: within(1_000), everyMs: 20, what: `the answer ${status}` })
}

const partsOf = (token: string): { header: object; payload: Record<string, unknown> } => {
  const [header = '', payload = ''] = token.split('.')
  const read = (text: string): Record<string, unknown> =>
    asObject(JSON.parse(Buffer.from(text, 'base64url').toString()))
  return { header: read(header), payload: read(payload) }
}
const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

describe('a token that is none of ours', () => {
  test('is asked for when it is missing', async () => {
    await expectUnauthorizedWith(noBearer)
  })

  test.each([
    ['nothing at all', '', noBearer],
    ['the scheme alone', 'Bearer', noBearer],
    ['another scheme', 'Basic dXNlcjpwYXNz', noBearer],
    ['no JWT', 'Bearer abc', sentence],
    ['three empty parts', 'Bearer ..', sentence],
    ['octets that no token has', 'Bearer a b c', noBearer],
  ])('is refused when it is %s', async (_, authorization, body) => {
    await expectUnauthorizedWith(body, ['authorization', authorization])
  })

  test('is refused when it is too long to be one', async () => {
    await expectUnauthorized(bearer('a'.repeat(12_000)))
  })

  test('is refused without a signature, or with another one', async () => {
    const [header = '', payload = '', signature = ''] = scene.token.split('.')
    await expectUnauthorized(bearer(`${header}.${payload}.`))
    await expectUnauthorized(bearer(`${header}.${payload}`))
    const other = await scene.account.token(scene.input)
    await expectUnauthorized(bearer(`${header}.${payload}.${other.split('.')[2]}`))
    await expectUnauthorized(bearer(`${header}.${payload}.${signature.slice(0, -3)}AAA`))
  })

  test('is refused when one of its claims is changed', async () => {
    const [header = '', , signature = ''] = scene.token.split('.')
    const { payload } = partsOf(scene.token)
    for (const change of [{ exp: 9_999_999_999 }, { stream: 'other' }, { kind: 'derived' }, {}]) {
      const changed = encoded({ ...payload, ...change, jti: 'other' })
      await expectUnauthorized(bearer(`${header}.${changed}.${signature}`))
    }
  })

  test('is refused with the algorithm none', async () => {
    const { payload } = partsOf(scene.token)
    for (const alg of ['none', 'None', 'NONE', '']) {
      const head = encoded({ ...partsOf(scene.token).header, alg })
      await expectUnauthorized(bearer(`${head}.${encoded(payload)}.`))
    }
  })

  test('is refused when another key has signed it, under our kid or its own', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const kid = textIn(asObject(partsOf(scene.token).header), 'kid')
    for (const forged of [forge(kid, privateKey), forge('another', privateKey)])
      await expectUnauthorized(bearer(forged))
  })

  function forge(kid: string, privateKey: KeyObject): string {
    const { payload } = partsOf(scene.token)
    const subject = {
      sub: textIn(payload, 'sub'),
      billingId: scene.account.billingId,
      stream: 'in',
      streamId: textIn(payload, 'streamId'),
      kind: 'input' as const,
    }
    const nowSeconds = Math.floor(Date.now() / 1000)
    const issue = { issuer: textIn(payload, 'iss'), nowSeconds, lifeSeconds: 3600 }
    return signIdToken({ kid, privateKey }, subject, issue)
  }

  test('is refused when it is a refresh token, an API key or a client secret', async () => {
    const { clientId, clientSecret } = scene.input
    const reply = await scene.account.call('POST', '/auth', {
      billingId: scene.account.billingId,
      clientId,
      clientSecret,
    })
    for (const other of [clientSecret, clientId]) await expectUnauthorized(bearer(other))
    const isRefreshToken = 'This is a refresh token; send the idToken that auth gives with it'
    await expectUnauthorizedWith(isRefreshToken, bearer(textIn(reply.body, 'refreshToken')))
    const isApiKey =
      "This is an API key; an id token is needed, which auth issues for a stream's client id and secret"
    await expectUnauthorizedWith(isApiKey, bearer(scene.account.apiKey))
  })

  test('is refused when there are two Authorization headers, even with the same token', async () => {
    const request = withAuthorization(bearer(scene.token), bearer(scene.token))
    for (const protocol of protocols) {
      const answer = await scene.clients[protocol].send(request)
      expectRefusal(answer, 401, 'invalid_token')
      expect(answer.header('www-authenticate')).toBe('Bearer error="invalid_token"')
    }
  })
})

test('the scheme may be written in any case, and spaces may follow it', async () => {
  for (const text of [`bearer ${scene.token}`, `BEARER   ${scene.token}`])
    expectAccepted(await scene.clients['HTTP/2'].send(withAuthorization(['authorization', text])))
})

describe('a token is for its own stream', () => {
  test('and not for one of the same name in another account', async () => {
    const other = await signUp(scene.world.auth.url)
    await other.contract('clickstream')
    const stream = await other.input('in')
    expectAccepted(await send(await other.token(stream)))
    expectAccepted(await send(scene.token))
    expect(await scene.reader.readUntil(stream.topic, 1)).toHaveLength(1)
  })

  test('and dies with it, also when one of the same name is made again', async () => {
    const first = await scene.account.input('again')
    const token = await scene.account.token(first)
    expectAccepted(await send(token))
    expectStatus(await scene.account.call('DELETE', '/v2/streams/again'), 200)
    await expectWithinASecond(token, 401)
    const second = await remade(scene.account, 'again')
    expectRefusal(await send(token), 401, 'invalid_token', sentence)
    expectAccepted(await send(await scene.account.token(second)))
    await scene.reader.readUntil(second.topic, 1)
  })

  /** Retries, because the name is free only after the first stream is completely deleted. */
  const remade = (account: Account, name: string): Promise<TestStream> =>
    pollUntil(() => account.input(name).catch(() => undefined), {
      deadlineMs: 60_000,
      everyMs: 250,
      what: 'making the stream again',
    })

  test('and dies with its credentials, while others of the stream live on', async () => {
    const stream = await scene.account.input('revoked')
    const made = expectStatus(
      await scene.account.call('POST', '/v2/streams/revoked/credentials', {}),
      201,
    )
    const credentials = {
      clientId: textIn(made.body, 'clientId'),
      clientSecret: textIn(made.body, 'clientSecret'),
    }
    const [kept, revoked] = [
      await scene.account.token(stream),
      await scene.account.token(credentials),
    ]
    expectAccepted(await send(kept))
    expectAccepted(await send(revoked))
    const path = `/v2/streams/revoked/credentials/${credentials.clientId}`
    expectStatus(await scene.account.call('DELETE', path), 200)
    expectRefusal(await expectWithinASecond(revoked, 401), 401, 'invalid_token', sentence)
    expectAccepted(await send(kept))
  })
})

describe('a right that the token does not give is refused with 403', () => {
  test("a derived stream's token sends nothing", async () => {
    const output = await scene.account.output('in', 'in-0', { consentLevels: [0] })
    const token = await scene.account.token(output)
    await expectRefusedByBoth(scene, withAuthorization(bearer(token)), [
      403,
      'not_an_input_stream',
      'in-0 is a derived stream: events are sent with a token of its input stream',
    ])
  })

  test('credentials for listening send nothing, those for sending do', async () => {
    const tokenWith = async (scope: string): Promise<string> => {
      const path = '/v2/streams/in/credentials'
      const { body } = expectStatus(await scene.account.call('POST', path, { scope }), 201)
      return scene.account.token({
        clientId: textIn(body, 'clientId'),
        clientSecret: textIn(body, 'clientSecret'),
      })
    }
    expectAccepted(await send(await tokenWith('send')))
    await expectRefusedByBoth(scene, withAuthorization(bearer(await tokenWith('listen'))), [
      403,
      'scope_missing',
      'These credentials are for listening; sending needs the scope send',
    ])
  })

  test('a disabled stream takes nothing, and takes events again once it is enabled', async () => {
    const stream = await scene.account.input('switched')
    const token = await scene.account.token(stream)
    expectAccepted(await send(token))
    const path = '/v2/streams/switched'
    expectStatus(await scene.account.call('PATCH', path, { enabled: false }), 200)
    await expectWithinASecond(token, 403)
    await expectRefusedByBoth(scene, withAuthorization(bearer(token)), [
      403,
      'stream_disabled',
      'The stream switched is disabled',
    ])
    expectStatus(await scene.account.call('PATCH', path, { enabled: true }), 200)
    await expectWithinASecond(token, 204)
  })
})
