// The only source of randomness in this package: nonces, if the caller passes none. All other randomness is an
// argument.
import { randomBytes } from 'node:crypto'

/** Like node:crypto's `randomBytes`. */
export type RandomBytes = (size: number) => Buffer

export const GCM_NONCE_BYTES = 12

export const randomNonce = (): Buffer => randomBytes(GCM_NONCE_BYTES)
