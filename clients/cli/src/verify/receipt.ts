// Verifying a receipt of an erasure: a JWS in compact form, ES256, of a type of its own. It needs the published keys and
// nothing else: no service, no account, no clock.
import { createHmac, createPublicKey, verify } from 'node:crypto'
import type { JsonWebKey, KeyObject } from 'node:crypto'
import { failure } from '../errors.ts'
import type { CliError } from '../errors.ts'
import { isObject, listAt, textsAt, tryParseJson } from '../json.ts'
import type { JsonObject } from '../json.ts'

const type = 'weir-receipt+jws'
const algorithm = 'ES256'

/** What a receipt claims. `jwks` may hold other keys, too. @throws CliError whatever byte of it was changed */
export function verifyReceipt(receipt: string, jwks: unknown): JsonObject {
  const [head = '', payload = '', signature = '', ...rest] = receipt.split('.')
  const header = parsed(head)
  const claims = parsed(payload)
  if (rest.length > 0 || header === undefined || claims === undefined)
    throw doesNotHold('it is not a JWS in compact form')
  if (header['alg'] !== algorithm || header['typ'] !== type)
    throw doesNotHold('it is not a receipt: its type is wrong')
  const key = keyOf(jwks, header['kid'])
  if (key === undefined) throw doesNotHold('its key is not among the published keys')
  const bytes = Buffer.from(signature, 'base64url')
  const signed = Buffer.from(`${head}.${payload}`)
  const isSigned =
    // Of several spellings of the same bytes one alone is right.
    bytes.toString('base64url') === signature &&
    verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, bytes)
  if (!isSigned) throw doesNotHold('its signature is wrong: the receipt was changed')
  return claims
}

function keyOf(jwks: unknown, kid: unknown): KeyObject | undefined {
  const jwk = listAt(jwks, 'keys')
    .filter(isObject)
    .find((one) => one['kid'] === kid && one['alg'] === algorithm)
  try {
    return jwk && createPublicKey({ key: asJwk(jwk), format: 'jwk' })
  } catch {
    return undefined
  }
}

/** Node checks what is in it. */
const asJwk = (jwk: JsonObject): JsonWebKey => jwk as JsonWebKey

function parsed(text: string): JsonObject | undefined {
  const value = tryParseJson(Buffer.from(text, 'base64url').toString('utf8'))
  return isObject(value) ? value : undefined
}

const doesNotHold = (why: string): CliError => failure(`the receipt is not valid: ${why}`)

/** Whether a receipt is about a value: only who has the salt can tell. */
export function isAbout(claims: JsonObject, salt: string, value: string): boolean {
  const key = Buffer.from(salt, 'base64url')
  const subject = createHmac('sha256', key).update(value, 'utf8').digest('base64url')
  return textsAt(claims, 'subjects').includes(subject)
}
