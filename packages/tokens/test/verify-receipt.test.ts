import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { isAbout, verifyReceipt } from '../src/index.ts'

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'ES256', use: 'sig' }
const keys = [null, { kty: 'RSA', kid: 'other', alg: 'RS256' }, jwk]
const text = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function receiptOf(claims: object, header: object = {}): string {
  const signed = `${text({ alg: 'ES256', typ: 'weir-receipt+jws', kid: 'k', ...header })}.${text(claims)}`
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' as const }
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`
}

test('a receipt verifies with the published keys alone', () => {
  expect(verifyReceipt(receiptOf({ jti: '1' }), keys)).toEqual({ jti: '1' })
})

test('whichever character of it is changed, to whatever, it does not hold', () => {
  const receipt = receiptOf({ jti: '1', terms: [53, 54] })
  const changes = Array.from(receipt).flatMap((old, at) =>
    ['A', 'B', 'Q', 'g', '_', '.', ' ']
      .filter((other) => other !== old)
      .map((other) => receipt.slice(0, at) + other + receipt.slice(at + 1)),
  )
  const held = changes.filter((changed) => {
    try {
      verifyReceipt(changed, keys)
      return true
    } catch {
      return false
    }
  })
  expect(held).toEqual([])
})

test.each([
  [
    'of another type, such as a token',
    receiptOf({}, { typ: 'JWT' }),
    'not_a_receipt',
    'something other',
  ],
  ['of another algorithm', receiptOf({}, { alg: 'none' }), 'not_a_receipt', 'something other'],
  [
    'under a key that was never published',
    receiptOf({}, { kid: 'unknown' }),
    'receipt_key_unknown',
    'published',
  ],
  ['that is cut off', receiptOf({}).slice(0, -10), 'receipt_changed', 'signature'],
  ['that is something else', 'hello', 'not_a_receipt', 'three parts'],
])('one %s does not hold', (_, receipt, code, why) => {
  expect(() => verifyReceipt(receipt, keys)).toThrow(
    expect.objectContaining({ code: `tokens.${code}`, message: expect.stringContaining(why) }),
  )
})

test('one from paper or a mail holds: line ends and spaces in it mean nothing', () => {
  const lines = receiptOf({}).replace(/.{60}/g, '$& \r\n')
  expect(verifyReceipt(lines, keys)).toEqual(verifyReceipt(receiptOf({}), keys))
})

test('it is about a value for whoever has the salt', () => {
  const salt = Buffer.from('salt of the test').toString('base64url')
  const subject = createHmac('sha256', Buffer.from(salt, 'base64url')).update('bob')
  const claims = verifyReceipt(receiptOf({ subjects: [subject.digest('base64url')] }), keys)
  expect(isAbout(claims, salt, 'bob')).toBe(true)
  expect(isAbout(claims, salt, 'eve')).toBe(false)
  expect(isAbout(claims, Buffer.from('another').toString('base64url'), 'bob')).toBe(false)
})
