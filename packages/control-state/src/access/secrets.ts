// Creates API keys and credentials. Each secret has 256 random bits, is shown once, and is stored only as SHA-256.
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { ApiKeyRecord, Credential, Scope } from '../records/records.ts'
import type { Role } from '../roles.ts'

/** Returns the SHA-256 of a secret, in hex. */
export const hashSecret = (secret: string): string =>
  createHash('sha256').update(secret, 'utf8').digest('hex')

/** `secret` is for the caller. Weir doesn't store it. */
export type NewApiKey = { readonly apiKey: ApiKeyRecord; readonly secret: string }

const keyIdDigits = 12

export function newApiKey(
  asked: { readonly name: string; readonly role: Role; readonly expiresAtMs?: number | undefined },
  nowMs: number,
): NewApiKey {
  const secret = `weir_${randomBytes(32).toString('base64url')}`
  const hash = hashSecret(secret)
  const { name, role, expiresAtMs } = asked
  const apiKey = {
    keyId: hash.slice(0, keyIdDigits),
    hash,
    name,
    role,
    createdAtMs: nowMs,
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
  }
  return { apiKey, secret }
}

export type NewCredential = { readonly credential: Credential; readonly clientSecret: string }

export function newCredential(scope: readonly Scope[], nowMs: number): NewCredential {
  const clientSecret = randomBytes(32).toString('base64url')
  const credential = {
    clientId: randomUUID(),
    secretHash: hashSecret(clientSecret),
    scope,
    createdAtMs: nowMs,
  }
  return { credential, clientSecret }
}
