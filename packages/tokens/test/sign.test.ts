import { createPrivateKey, createPublicKey } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { makeSigningKey, signIdToken, signRefreshToken } from '../src/index.ts'

const key = makeSigningKey()
const signer = { kid: key.kid, privateKey: createPrivateKey(key.privatePem) }
const issue = { issuer: 'http://auth.test', nowSeconds: 1_800_000_000, lifeSeconds: 3_600 }
const subject = {
  sub: 'c',
  billingId: 'acme',
  stream: 's',
  streamId: 'i',
  kind: 'derived',
} as const

const decoded = (token: string): unknown[] =>
  token
    .split('.')
    .slice(0, 2)
    .map((part): unknown => JSON.parse(Buffer.from(part, 'base64url').toString()))

test('an id token holds exactly the claims of the contract, under RS256 and the kid', () => {
  const withMore = { ...subject, secret: 'x' }
  expect(decoded(signIdToken(signer, withMore, issue))).toEqual([
    { alg: 'RS256', typ: 'JWT', kid: key.kid },
    {
      ...subject,
      iss: issue.issuer,
      aud: 'weir',
      iat: issue.nowSeconds,
      exp: issue.nowSeconds + 3_600,
      jti: expect.any(String),
    },
  ])
})

test('an id token of an output whose readers decrypt says so', () => {
  const [, payload] = decoded(signIdToken(signer, { ...subject, decryptAt: 'reader' }, issue))
  expect(payload).toMatchObject({ kind: 'derived', decryptAt: 'reader' })
})

test('a refresh token holds no stream', () => {
  const [, payload] = decoded(
    signRefreshToken(signer, { ...subject, auth_time: issue.nowSeconds - 60 }, issue),
  )
  expect(payload).toEqual({
    sub: 'c',
    billingId: 'acme',
    iss: issue.issuer,
    aud: 'weir-refresh',
    iat: issue.nowSeconds,
    exp: issue.nowSeconds + 3_600,
    auth_time: issue.nowSeconds - 60,
    jti: expect.any(String),
  })
})

test('no two tokens are the same', () => {
  expect(signIdToken(signer, subject, issue)).not.toBe(signIdToken(signer, subject, issue))
})

test('a signing key has 2048 bits, and its halves and kid belong together', () => {
  const { asymmetricKeyDetails } = signer.privateKey
  expect(asymmetricKeyDetails).toMatchObject({ modulusLength: 2048, publicExponent: 65_537n })
  expect(createPublicKey(key.privatePem).export({ format: 'jwk' })).toEqual({
    kty: key.publicJwk['kty'],
    n: key.publicJwk['n'],
    e: key.publicJwk['e'],
  })
  expect(makeSigningKey().kid).not.toBe(key.kid)
})
