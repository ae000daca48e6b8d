import { createHmac, createPrivateKey, createPublicKey, sign as signBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import {
  jwks,
  makeSigningKey,
  signIdToken,
  signRefreshToken,
  verifyIdToken,
  verifyRefreshToken,
} from '../src/index.ts'
import type { SigningKey } from '../src/index.ts'

const issuer = 'http://auth.test'
const nowSeconds = 1_800_000_000
const ours = makeSigningKey()
const others = makeSigningKey()
const publicKeyOf = (key: SigningKey): KeyObject =>
  createPublicKey({ key: { ...key.publicJwk }, format: 'jwk' })
const signer = (key: SigningKey) => ({ kid: key.kid, privateKey: createPrivateKey(key.privatePem) })
const keyOf = (kid: string) => (kid === ours.kid ? publicKeyOf(ours) : undefined)
const options = { keyOf, issuer, nowSeconds }
const issue = { issuer, nowSeconds, lifeSeconds: 3_600 }
const subject = {
  sub: 'c0ffee00-0000-4000-8000-000000000001',
  billingId: 'acme',
  stream: 'demo',
  streamId: 'c0ffee00-0000-4000-8000-000000000002',
  kind: 'input',
} as const

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const claims = {
  ...subject,
  iss: issuer,
  aud: 'weir',
  iat: nowSeconds,
  exp: nowSeconds + 60,
  jti: 'x',
}
const goodHeader = { alg: 'RS256', typ: 'JWT', kid: ours.kid }

/** Returns a token with a valid RS256 signature over any header and payload. */
function forge(header: unknown, payload: unknown, key = ours): string {
  const signed = `${encode(header)}.${encode(payload)}`
  const signature = signBytes('sha256', Buffer.from(signed), key.privatePem)
  return `${signed}.${signature.toString('base64url')}`
}

const refused = expect.objectContaining({
  code: 'tokens.invalid',
  message: 'The token is missing, malformed, expired or revoked; get a new one',
})

function refusalOf(token: string): unknown {
  try {
    return verifyIdToken(token, options)
  } catch (error) {
    return error
  }
}

const isRefused = (token: string): boolean => refusalOf(token) instanceof Error

describe('an id token', () => {
  test('is verified with the claims it was signed with', () => {
    const token = signIdToken(signer(ours), subject, issue)
    expect(verifyIdToken(token, options)).toMatchObject({
      ...subject,
      iss: issuer,
      aud: 'weir',
      iat: nowSeconds,
      exp: nowSeconds + 3_600,
    })
  })

  test('is refused from the second on at which it expires', () => {
    const token = signIdToken(signer(ours), subject, { ...issue, lifeSeconds: 10 })
    expect(verifyIdToken(token, { ...options, nowSeconds: nowSeconds + 9 }).sub).toBe(subject.sub)
    expect(() => verifyIdToken(token, { ...options, nowSeconds: nowSeconds + 10 })).toThrow(
      expect.objectContaining({ code: 'tokens.invalid' }),
    )
  })

  test.each([
    ['alg none', `${encode({ alg: 'none', typ: 'JWT', kid: ours.kid })}.${encode(claims)}.`],
    ['alg none without kid', `${encode({ alg: 'none' })}.${encode(claims)}.`],
    ['a kid that is not known', forge({ ...goodHeader, kid: 'unknown' }, claims)],
    ['no kid', forge({ alg: 'RS256', typ: 'JWT' }, claims)],
    ['another typ', forge({ ...goodHeader, typ: 'weir-receipt+jws' }, claims)],
    ["another key under our key's kid", forge(goodHeader, claims, others)],
    ['another audience', forge(goodHeader, { ...claims, aud: 'weir-refresh' })],
    ['several audiences', forge(goodHeader, { ...claims, aud: ['weir', 'other'] })],
    ['another issuer', forge(goodHeader, { ...claims, iss: 'http://other.test' })],
    ['a life of more than an hour', forge(goodHeader, { ...claims, exp: nowSeconds + 3_601 })],
    ['no expiry', forge(goodHeader, { ...claims, exp: undefined })],
    ['a kind that does not exist', forge(goodHeader, { ...claims, kind: 'admin' })],
    ['no stream', forge(goodHeader, { ...claims, streamId: '' })],
    ['a payload that is not an object', forge(goodHeader, 'claims')],
    ['not yet valid', forge(goodHeader, { ...claims, nbf: nowSeconds + 100 })],
    ['issued in the future', forge(goodHeader, { ...claims, iat: nowSeconds + 61 })],
    ['times that are no whole numbers', forge(goodHeader, { ...claims, iat: nowSeconds + 0.5 })],
    ['a kid that is no text', forge({ ...goodHeader, kid: 7 }, claims)],
    ['another algorithm in its header', forge({ ...goodHeader, alg: 'RS512' }, claims)],
    ['nothing', ''],
    ['dots', '..'],
    ['9 kB', 'a'.repeat(9_000)],
  ])('is refused with %s, always by the same error', (_what, token) => {
    expect(refusalOf(token)).toEqual(refused)
  })

  test('has one spelling: bits of the last character that mean nothing must be unset', () => {
    const token = signIdToken(signer(ours), subject, issue)
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const accepted = alphabet
      .split('')
      .map((last) => token.slice(0, -1) + last)
      .filter((spelling) => !isRefused(spelling))
    expect(accepted).toEqual([token])
    expect(refusalOf(`${token}==`)).toEqual(refused)
  })

  test('is refused when HS256 was keyed with the public key', () => {
    const pem = publicKeyOf(ours).export({ type: 'spki', format: 'pem' })
    const signed = `${encode({ ...goodHeader, alg: 'HS256' })}.${encode(claims)}`
    expect(
      refusalOf(`${signed}.${createHmac('sha256', pem).update(signed).digest('base64url')}`),
    ).toEqual(refused)
  })

  test('is refused when any character was changed', () => {
    const token = signIdToken(signer(ours), subject, issue)
    for (let at = 0; at < token.length - 1; at += 7) {
      const other = token[at] === 'A' ? 'B' : 'A'
      expect(refusalOf(token.slice(0, at) + other + token.slice(at + 1))).toEqual(refused)
    }
  })
})

describe('a refresh token', () => {
  const token = signRefreshToken(signer(ours), { ...subject, auth_time: nowSeconds }, issue)

  test('is verified as one', () => {
    expect(verifyRefreshToken(token, options)).toMatchObject({
      sub: subject.sub,
      billingId: 'acme',
    })
  })

  test('reaches 30 days past the moment when the secret was shown, and no further', () => {
    const month = 30 * 24 * 3_600
    const refreshed = (auth_time: number, lifeSeconds: number) => () =>
      verifyRefreshToken(
        signRefreshToken(signer(ours), { ...subject, auth_time }, { ...issue, lifeSeconds }),
        options,
      )
    expect(refreshed(nowSeconds - 1_000, month - 1_000)().auth_time).toBe(nowSeconds - 1_000)
    for (const over of [refreshed(nowSeconds - 1_000, month - 999), refreshed(0, 60)])
      expect(over).toThrow(expect.objectContaining({ code: 'tokens.invalid' }))
  })

  test('is no id token, and an id token is no refresh token', () => {
    expect(refusalOf(token)).toEqual(refused)
    const idToken = signIdToken(signer(ours), subject, issue)
    expect(() => verifyRefreshToken(idToken, options)).toThrow(
      expect.objectContaining({ code: 'tokens.invalid' }),
    )
  })
})

test('the key set shows what a verifier needs and nothing private', () => {
  expect(jwks([ours.publicJwk]).keys).toEqual([
    {
      kty: 'RSA',
      n: expect.any(String),
      e: 'AQAB',
      kid: ours.kid,
      alg: 'RS256',
      use: 'sig',
    },
  ])
})
