export { idLifeSecondsMax, refreshLifeSecondsMax } from './claims.ts'
export type { IdClaims, RefreshClaims } from './claims.ts'
export {
  signIdToken,
  signRefreshToken,
  type IdSubject,
  type RefreshSubject,
  type SignWith,
} from './sign.ts'
export { jwks, makeSigningKey, type PublicJwk, type SigningKey } from './signing-key.ts'
export { makeReceiptKey, signReceipt } from './receipt.ts'
export {
  verifyIdToken,
  verifyRefreshToken,
  type TokenErrorCode,
  type VerifyOptions,
} from './verify.ts'
