// Creates the keys that sign tokens: RSA 2048, identified by a kid. The caller stores them.
import { generateKeyPairSync, randomUUID } from 'node:crypto'

export type PublicJwk = Readonly<Record<string, unknown>>

export type SigningKey = {
  readonly kid: string
  /** The key as in a JWKS. */
  readonly publicJwk: PublicJwk
  /** PKCS #8. */
  readonly privatePem: string
}

const modulusBits = 2048

export function makeSigningKey(): SigningKey {
  const kid = randomUUID()
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: modulusBits })
  const { kty, n, e } = publicKey.export({ format: 'jwk' })
  return {
    kid,
    publicJwk: { kty, n, e, kid, alg: 'RS256', use: 'sig' },
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** Returns a JWK Set (RFC 7517, section 5). */
export const jwks = (keys: readonly PublicJwk[]): { keys: readonly PublicJwk[] } => ({ keys })
