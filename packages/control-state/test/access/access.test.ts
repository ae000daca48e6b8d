import { createPrivateKey } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { AppError } from '@weir/kit'
import { makeSigningKey, signIdToken, signRefreshToken } from '@weir/tokens'
import type { SigningKey } from '@weir/tokens'
import { createGate } from '../../src/access/access.ts'
import type { StateFollower } from '../../src/tables/follow.ts'
import { signingKeyKey, streamKey } from '../../src/records/records.ts'
import type { InputStream } from '../../src/records/records.ts'
import { createTables } from '../../src/tables/tables.ts'
import { credentialRecord, inputStream } from '../support.ts'

const issuer = 'https://auth.example.org'
const hourMs = 3_600_000
const key = makeSigningKey()

const signingRecord = (made: SigningKey, publishedUntilMs = 30 * hourMs) => ({
  type: 'signing-key' as const,
  kid: made.kid,
  publicJwk: made.publicJwk,
  signsFromMs: 0,
  signsUntilMs: hourMs,
  publishedUntilMs,
})

function setUp() {
  const tables = createTables()
  const credential = credentialRecord()
  const stream = inputStream({ credentials: [credential] })
  let nowMs = 1_000_000
  let looks = 0
  let onLook = (): void => {}
  const follower: Pick<StateFollower, 'tables' | 'refresh'> = {
    tables: { ...tables },
    async refresh() {
      looks += 1
      onLook()
    },
  }
  const gate = createGate({ follower, issuer, now: () => nowMs })
  const publish = (made = key): void => tables.apply(signingKeyKey(made.kid), signingRecord(made))
  const put = (next: InputStream | null): void => tables.apply(streamKey('acme', 'clicks'), next)
  publish()
  put(stream)
  return {
    gate,
    stream,
    credential,
    put,
    publish,
    tables,
    at: (ms: number) => void (nowMs = ms),
    looks: () => looks,
    whenLooking: (work: () => void) => void (onLook = work),
    token: (more: { issuer?: string; key?: SigningKey } = {}) => {
      const { kid, privatePem } = more.key ?? key
      return signIdToken(
        { kid, privateKey: createPrivateKey(privatePem) },
        {
          sub: credential.clientId,
          billingId: 'acme',
          stream: 'clicks',
          streamId: stream.streamId,
          kind: 'input',
        },
        {
          issuer: more.issuer ?? issuer,
          nowSeconds: Math.floor(nowMs / 1000),
          lifeSeconds: 3_600,
        },
      )
    },
  }
}

const refused = expect.objectContaining({ code: 'control-state.invalid_token' })
const reject = async (work: () => unknown): Promise<unknown> => {
  try {
    await work()
  } catch (error) {
    return error
  }
  return new AppError('passed', 'it was let in')
}

test('a good token gives access at once, without following control state', () => {
  const { gate, token, stream, looks } = setUp()
  const access = gate.check(`Bearer ${token()}`)
  expect(access).toMatchObject({ stream, scope: ['send', 'listen'] })
  expect(looks()).toBe(0)
})

test('however a header spells it, a token is verified once', () => {
  const { gate, token } = setUp()
  const good = token()
  const access = gate.check(`Bearer ${good}`) // a second verification would return another object
  for (const spelling of [`bearer ${good}`, `BEARER   ${good}`, `Bearer ${good}   `])
    expect(gate.check(spelling)).toBe(access)
})

test('a malformed, foreign or expired token is refused with the same sentence', async () => {
  const { gate, token, at } = setUp()
  const expired = token()
  const foreign = token({ issuer: 'https://other.example.org' })
  const unknownKey = token({ key: makeSigningKey() })
  const headers = ['Bearer a.b.c', `Bearer ${foreign}`]
  const errors = await Promise.all(
    [...headers, `Bearer ${unknownKey}`].map((header) => reject(() => gate.check(header))),
  )
  at(1_000_000 + hourMs)
  errors.push(await reject(() => gate.check(`Bearer ${expired}`)))
  for (const error of errors) expect(error).toEqual(refused)
  expect(new Set(errors.map(String)).size).toBe(1)
})

test('a refresh token is refused with a sentence of its own, whoever has signed it', async () => {
  const { gate } = setUp()
  for (const { kid, privatePem } of [key, makeSigningKey()]) {
    const token = signRefreshToken(
      { kid, privateKey: createPrivateKey(privatePem) },
      { sub: 'client', billingId: 'acme', auth_time: 1_000 },
      { issuer, nowSeconds: 1_000, lifeSeconds: 3_600 },
    )
    const error = await reject(() => gate.check(`Bearer ${token}`))
    expect(error).toEqual(refused)
    expect(error).toMatchObject({
      message: 'This is a refresh token; send the idToken that auth gives with it',
    })
  }
})

test.each([undefined, '', 'Basic abc', 'Bearer', 'eyJh'])(
  '%j is no bearer token',
  async (header) => {
    const error = await reject(() => setUp().gate.check(header))
    expect(error).toEqual(refused)
    expect(String(error)).toContain('in the header Authorization: Bearer <idToken>')
  },
)

test('an API key is recognised, and not repeated', async () => {
  const error = await reject(() => setUp().gate.check('Bearer weir_abc'))
  expect(error).toEqual(refused)
  expect(String(error)).toMatch(/This is an API key(?!.*weir_abc)/)
})

test('a token that was good is refused as soon as its credentials are gone', async () => {
  const { gate, token, stream, put } = setUp()
  const authorization = `Bearer ${token()}`
  await gate.check(authorization)
  put({ ...stream, credentials: [] })
  expect(await reject(() => gate.check(authorization))).toEqual(refused)
})

test('a token that was good is refused as soon as its stream is deleted, and by its successor', async () => {
  const { gate, token, stream, put, credential } = setUp()
  const authorization = `Bearer ${token()}`
  await gate.check(authorization)
  put({ ...stream, state: 'deleting' })
  expect(await reject(() => gate.check(authorization))).toEqual(refused)
  put(inputStream({ credentials: [credential] }))
  expect(await reject(() => gate.check(authorization))).toEqual(refused)
})

test('a token newer than the tables is good once they have been followed', async () => {
  const { gate, token, publish, whenLooking, looks } = setUp()
  const fresh = makeSigningKey()
  whenLooking(() => publish(fresh))
  expect(await gate.check(`Bearer ${token({ key: fresh })}`)).toBeDefined()
  expect(looks()).toBe(1)
})

test('a key that is no longer published verifies nothing', async () => {
  const { gate, token, tables } = setUp()
  tables.apply(signingKeyKey(key.kid), signingRecord(key, 1))
  expect(await reject(() => gate.check(`Bearer ${token()}`))).toEqual(refused)
})

test('an access is looked at again: gone with its credentials, its stream, or its hour', async () => {
  const { gate, token, stream, put, at } = setUp()
  const access = await gate.check(`Bearer ${token()}`)
  put({ ...stream, enabled: false })
  expect(gate.recheck(access)?.stream.enabled).toBe(false)
  put({ ...stream, credentials: [] })
  expect(gate.recheck(access)).toBeUndefined()
  put(stream)
  expect(gate.recheck(access)).toBeDefined()
  at(1_000_000 + hourMs)
  expect(gate.recheck(access)).toBeUndefined()
})
