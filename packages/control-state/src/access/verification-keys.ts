// The public keys that verify tokens, from control state. Each key object is created once.
import { createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { SigningKeyRecord } from '../records/records.ts'
import type { PublicKeys } from '../tables/state.ts'

/** Returns a function that finds the key of a `kid`: undefined if the key is unknown or no longer published. */
export function createVerificationKeys(
  state: Pick<PublicKeys, 'signingKey'>,
  now: () => number,
): (kid: string) => KeyObject | undefined {
  const keys = new WeakMap<SigningKeyRecord, KeyObject>()
  return (kid) => {
    const record = state.signingKey(kid)
    if (record === undefined || record.publishedUntilMs <= now()) return undefined
    const known = keys.get(record)
    if (known !== undefined) return known
    const key = createPublicKey({ key: { ...record.publicJwk }, format: 'jwk' })
    keys.set(record, key)
    return key
  }
}
