// Secrets that auth hands out: 256 random bits each, shown once and kept as SHA-256 alone.
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Credential, Scope } from './records.ts'

/** SHA-256 of a secret, hex: what control state keeps and look-ups go by. */
export const hashSecret = (secret: string): string =>
  createHash('sha256').update(secret, 'utf8').digest('hex')

export const newApiKey = (): string => `weir_${randomBytes(32).toString('base64url')}`

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
