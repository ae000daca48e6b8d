import { createPrivateKey, createPublicKey } from 'node:crypto'
import { expect, test } from '@jest/globals'
import jwt from 'jsonwebtoken'
import { makeReceiptKey, signReceipt, verifyIdToken, verifyRefreshToken } from '../src/index.ts'

const { kid, publicJwk, privatePem } = makeReceiptKey()
const signer = { kid, privateKey: createPrivateKey(privatePem) }
const key = createPublicKey({ key: { ...publicJwk }, format: 'jwk' })
const nowSeconds = 1_800_000_000
const issuer = 'http://auth.test'
const claims = {
  iss: issuer,
  sub: 'c',
  iat: nowSeconds,
  exp: nowSeconds + 60,
  jti: 'j',
  billingId: 'acme',
  stream: 's',
  streamId: 'i',
  kind: 'input',
}

test('a receipt is a JWS of its own type, which anybody verifies with the published key', () => {
  const receipt = signReceipt(signer, { jti: '1' })
  const header: unknown = JSON.parse(
    Buffer.from(receipt.split('.')[0] ?? '', 'base64url').toString(),
  )
  expect(header).toEqual({ alg: 'ES256', typ: 'weir-receipt+jws', kid })
  expect(jwt.verify(receipt, key, { algorithms: ['ES256'] })).toEqual({ jti: '1' })
})

test('whatever it claims, and even if its key were one of those of tokens, it is no token', () => {
  const options = { keyOf: () => key, issuer, nowSeconds }
  const asId = signReceipt(signer, { ...claims, aud: 'weir' })
  const asRefresh = signReceipt(signer, { ...claims, aud: 'weir-refresh' })
  expect(() => verifyIdToken(asId, options)).toThrow('The token is missing, malformed')
  expect(() => verifyRefreshToken(asRefresh, options)).toThrow('The token is missing, malformed')
})
