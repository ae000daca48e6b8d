// Every invalid token from a client gives the same error: no crash, no other message, no acceptance.
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { hasCode } from '@weir/kit'
import { makeSigningKey, signIdToken, verifyIdToken, verifyRefreshToken } from '../src/index.ts'

const nowSeconds = 1_800_000_000
const issuer = 'http://auth.test'
const { kid, privatePem, publicJwk } = makeSigningKey()
const publicKey = createPublicKey({ key: { ...publicJwk }, format: 'jwk' })
const options = { keyOf: () => publicKey, issuer, nowSeconds }
const subject = { sub: 'c', billingId: 'acme', stream: 's', streamId: 'i', kind: 'input' } as const
const signer = { kid, privateKey: createPrivateKey(privatePem) }
const good = signIdToken(signer, subject, { issuer, nowSeconds, lifeSeconds: 60 })

// mulberry32, which creates the same garbage in every run
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const random = createRandom(1)
const anyText = (): string =>
  Array.from({ length: random(60) }, () => String.fromCharCode(random(0x1_0000))).join('')
const anyBase64 = (): string =>
  Buffer.from(Array.from({ length: random(60) }, () => random(256))).toString('base64url')
const anyJson = (): string =>
  Buffer.from(
    ['null', '0', '[]', '{}', '"x"', '{"alg":null}', '{"alg":"RS256","kid":{}}', '{"typ":'][
      random(8)
    ] ?? '',
  ).toString('base64url')
const anyPart = (): string => [anyText, anyBase64, anyJson][random(3)]?.() ?? ''

const sentence = 'The token is missing, malformed, expired or revoked; get a new one'

function isRefused(token: string): boolean {
  return [verifyIdToken, verifyRefreshToken].every((verify) => {
    try {
      verify(token, options)
      return false
    } catch (error) {
      return hasCode(error, 'tokens.invalid') && error.message === sentence
    }
  })
}

test('garbage of any shape is refused by the one error', () => {
  const parts = good.split('.')
  const tokens = Array.from({ length: 2_000 }, () => [
    Array.from({ length: random(5) }, anyPart).join('.'),
    parts.map((part) => (random(2) === 0 ? part : anyPart())).join('.'),
  ])
  const accepted = tokens.flat().filter((token) => token !== good && !isRefused(token))
  expect(accepted).toEqual([])
})

test('a good token cut short, prolonged or with a part gone is refused', () => {
  for (let length = 0; length < good.length; length++)
    expect(isRefused(good.slice(0, length))).toBe(true)
  const [head = '', payload = '', signature = ''] = good.split('.')
  for (const token of [
    `${good}.`,
    `${good}.x`,
    ` ${good}`,
    `${good}\n`,
    `${head}..${signature}`,
    `.${payload}.${signature}`,
    `${payload}.${head}.${signature}`,
    `Bearer ${good}`,
  ])
    expect([token, isRefused(token)]).toEqual([token, true])
})

test('more than 8 kB are refused before anything is read', () => {
  let asked = 0
  const keyOf = () => {
    asked += 1
    return publicKey
  }
  const long = signIdToken(
    signer,
    { ...subject, stream: 's'.repeat(8_192) },
    { issuer, nowSeconds, lifeSeconds: 60 },
  )
  expect(() => verifyIdToken(long, { ...options, keyOf })).toThrow(
    expect.objectContaining({ code: 'tokens.invalid' }),
  )
  expect(asked).toBe(0)
})
