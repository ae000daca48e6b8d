// Signs receipts of erasures: JWS in compact form, under separate keys (docs/forgetting.md, Receipts). Type, algorithm
// and keys differ from those of tokens, and a receipt has no audience and no expiry. So no check of tokens accepts a
// receipt.
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import type { SignWith } from './sign.ts'
import type { SigningKey } from './signing-key.ts'

export const receiptType = 'weir-receipt+jws'
export const receiptAlgorithm = 'ES256'

/** Creates a P-256 key with a new kid. */
export function makeReceiptKey(): SigningKey {
  const kid = randomUUID()
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' })
  return {
    kid,
    publicJwk: { kty, crv, x, y, kid, alg: receiptAlgorithm, use: 'sig' },
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

export function signReceipt({ kid, privateKey: key }: SignWith, claims: object): string {
  const signed = `${encoded({ alg: receiptAlgorithm, typ: receiptType, kid })}.${encoded(claims)}`
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
