// The claims of tokens (docs/wire-format.md, Tokens), and their check. A payload that lacks a claim, or has a claim of
// another type, is not a token of Weir.

export type IdClaims = {
  readonly iss: string
  /** The clientId. */
  readonly sub: string
  readonly aud: 'weir'
  /** Seconds since 1970, like `exp`. */
  readonly iat: number
  readonly exp: number
  readonly jti: string
  readonly billingId: string
  readonly stream: string
  readonly streamId: string
  readonly kind: 'input' | 'derived'
  /**
   * Only in tokens of an output whose readers decrypt, because these readers can't ask management. Services don't rely
   * on this claim.
   */
  readonly decryptAt?: 'reader'
}

/** A refresh token is valid only at auth's `/refresh`. */
export type RefreshClaims = {
  readonly iss: string
  readonly sub: string
  readonly aud: 'weir-refresh'
  readonly iat: number
  readonly exp: number
  /** When the client used its secret. A refresh doesn't change this time. */
  readonly auth_time: number
  readonly jti: string
  readonly billingId: string
}

export const idAudience = 'weir'
export const refreshAudience = 'weir-refresh'

export const idLifeSecondsMax = 3_600
/** Counted from the login with the secret; a refresh doesn't extend it. */
export const refreshLifeSecondsMax = 30 * 24 * 3_600

type Payload = Readonly<Record<string, unknown>>

const texts = (payload: Payload, names: readonly string[]): boolean =>
  names.every((name) => typeof payload[name] === 'string' && payload[name] !== '')

const times = (payload: Payload, names: readonly string[]): boolean =>
  names.every((name) => Number.isSafeInteger(payload[name]))

export const isIdClaims = (payload: unknown): payload is IdClaims =>
  isPayload(payload) &&
  payload['aud'] === idAudience &&
  (payload['kind'] === 'input' || payload['kind'] === 'derived') &&
  texts(payload, ['iss', 'sub', 'jti', 'billingId', 'stream', 'streamId']) &&
  times(payload, ['iat', 'exp'])

export const isRefreshClaims = (payload: unknown): payload is RefreshClaims =>
  isPayload(payload) &&
  payload['aud'] === refreshAudience &&
  texts(payload, ['iss', 'sub', 'jti', 'billingId']) &&
  times(payload, ['iat', 'exp', 'auth_time'])

const isPayload = (value: unknown): value is Payload =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
