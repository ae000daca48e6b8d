// The one place of this package that makes randomness by itself: nonces, where the caller brings
// none. Everything else that is random is an argument.
import { randomBytes } from 'node:crypto'

/** As node:crypto's `randomBytes`. */
export type RandomBytes = (size: number) => Buffer

export const GCM_NONCE_BYTES = 12

export const randomNonce = (): Buffer => randomBytes(GCM_NONCE_BYTES)
