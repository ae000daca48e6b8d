// Signs receipts of erasures: JWS in compact form, under keys of their own (docs/forgetting.md, Receipts). Their type,
// algorithm and keys differ from those of tokens, and they have no audience and no expiry, so no check of tokens
// accepts one.
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import type { SignWith } from './sign.ts'
import type { SigningKey } from './signing-key.ts'

export const receiptType = 'weir-receipt+jws'
export const receiptAlgorithm = 'ES256'

/** P-256, named by a kid. */
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
