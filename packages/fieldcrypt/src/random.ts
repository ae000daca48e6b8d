// Random nonces for callers that pass none. The package gets all other random bytes as arguments.
import { randomBytes } from 'node:crypto'

/** Like node:crypto's `randomBytes`. */
export type RandomBytes = (size: number) => Buffer

export const GCM_NONCE_BYTES = 12

export const randomNonce = (): Buffer => randomBytes(GCM_NONCE_BYTES)
