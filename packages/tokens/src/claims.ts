// What an id token contains (docs/wire-format.md Tokens), and the check that a payload contains just that. Anything
// else is not our token; nothing is guessed or filled in.

export type IdClaims = {
  readonly iss: string
  /** The clientId. */
  readonly sub: string
  readonly aud: 'weir'
  /** Epoch seconds, like `exp`. */
  readonly iat: number
  readonly exp: number
  readonly jti: string
  readonly billingId: string
  readonly stream: string
  readonly streamId: string
  readonly kind: 'input' | 'derived'
}

/** Valid only at auth's `/refresh`. */
export type RefreshClaims = {
  readonly iss: string
  readonly sub: string
  readonly aud: 'weir-refresh'
  readonly iat: number
  readonly exp: number
  /** When the secret was shown: refreshing doesn't renew this. */
  readonly auth_time: number
  readonly jti: string
  readonly billingId: string
}

export const idAudience = 'weir'
export const refreshAudience = 'weir-refresh'

export const idLifeSecondsMax = 3_600
/** Counted from when the secret was shown. */
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
