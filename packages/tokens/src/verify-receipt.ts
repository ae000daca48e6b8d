// Verifies a receipt of an erasure: a JWS in compact form, ES256, with its own type. This needs only the published
// keys: no service, no account, no clock.
import { createHmac, createPublicKey, verify } from 'node:crypto'
import type { JsonWebKey, KeyObject } from 'node:crypto'
import { TokenError } from './errors.ts'
import { receiptAlgorithm, receiptType } from './receipt.ts'

/** The claims of a receipt (docs/forgetting.md, Receipts). */
export type ReceiptClaims = Readonly<Record<string, unknown>>

/**
 * Returns the claims of a receipt. `keys` are JWKs; keys for other purposes are ignored.
 * @throws TokenError `tokens.not_a_receipt`, `tokens.receipt_key_unknown`, or `tokens.receipt_changed` if the signature
 * is wrong. The error's message says why, without a full stop.
 */
export function verifyReceipt(text: string, keys: readonly unknown[]): ReceiptClaims {
  const receipt = text.replace(/\s+/g, '') // a printed or mailed receipt contains line ends
  const [head = '', payload = '', signature = '', ...rest] = receipt.split('.')
  const header = parsed(head)
  const claims = parsed(payload)
  if (rest.length > 0 || header === undefined || claims === undefined)
    throw doesNotHold(
      'a receipt has three parts with a dot between them, and the first two must be readable',
    )
  if (header['alg'] !== receiptAlgorithm || header['typ'] !== receiptType)
    throw doesNotHold('its first part says that it is something other than a receipt of Weir')
  const key = keyOf(keys, header['kid'])
  if (key === undefined)
    throw new TokenError('tokens.receipt_key_unknown', 'its key is not among the published keys')
  const bytes = Buffer.from(signature, 'base64url')
  const signed = Buffer.from(`${head}.${payload}`)
  const isSigned =
    // The same bytes have several base64url texts, of which only one is valid.
    bytes.toString('base64url') === signature &&
    verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, bytes)
  if (!isSigned)
    throw new TokenError(
      'tokens.receipt_changed',
      'its signature is wrong: the receipt was changed, or is not complete',
    )
  return claims
}

function keyOf(keys: readonly unknown[], kid: unknown): KeyObject | undefined {
  const jwk = keys
    .filter(isObject)
    .find((one) => one['kid'] === kid && one['alg'] === receiptAlgorithm)
  try {
    return jwk && createPublicKey({ key: asJwk(jwk), format: 'jwk' })
  } catch {
    return undefined
  }
}

/** The cast is safe, because Node checks the content. */
const asJwk = (jwk: ReceiptClaims): JsonWebKey => jwk as JsonWebKey

const isObject = (value: unknown): value is ReceiptClaims =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parsed(text: string): ReceiptClaims | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const doesNotHold = (why: string): TokenError => new TokenError('tokens.not_a_receipt', why)

/** Whether a receipt is about a value. Only someone who has the salt can check this. */
export function isAbout({ subjects }: ReceiptClaims, salt: string, value: string): boolean {
  const key = Buffer.from(salt, 'base64url')
  const subject = createHmac('sha256', key).update(value, 'utf8').digest('base64url')
  return Array.isArray(subjects) && subjects.includes(subject)
}
