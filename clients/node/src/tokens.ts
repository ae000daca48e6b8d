// Gets id tokens for a stream's credentials. Keeps one token in memory, and renews it in the background after four
// fifths of its lifetime. So requests seldom wait for auth, and auth may be unavailable for a while.
import { memberOf } from './json.ts'
import { requestJson } from './json-request.ts'
import type { JsonReply } from './json-request.ts'
import { RejectedError, rejectionCodeOf } from './errors.ts'
import { pauseMs, retryAfterMsOf } from './retries.ts'
import { authAnswers, serviceUrl, wrongAddress } from './address.ts'
import type { CredentialsOptions } from './credentials.ts'

export type Tokens = {
  /** @throws RejectedError when auth refuses the credentials, NoToken when auth is unreachable */
  get(): Promise<string>
  /** Call it when a service has refused the token. The next `get` requests a new token. */
  refused(token: string): void
}

/** Auth did not respond, or can't issue tokens now. */
export class NoToken extends Error {
  override readonly name = 'NoToken'
  readonly retryAfterMs: number | undefined

  constructor(message: string, retryAfterMs: number | undefined, cause?: unknown) {
    super(message, { cause })
    this.retryAfterMs = retryAfterMs
  }
}

const byAuth = new WeakSet<Error>()
/** Returns true for auth's errors, whose messages cannot quote an event. */
export const isByAuth = (error: Error): boolean => byAuth.has(error)
function refusedByAuth(...given: ConstructorParameters<typeof RejectedError>): RejectedError {
  const error = new RejectedError(...given)
  byAuth.add(error)
  return error
}

export type TokensDeps = {
  /** Auth's address, for messages. */
  readonly address: string
  readonly ask: () => Promise<JsonReply>
  readonly nowMs: () => number
  readonly random: () => number
}

type Held = { readonly token: string; readonly renewAtMs: number; readonly goodUntilMs: number }

const timeoutMs = 10_000
/** So that a token does not expire on its way to the service. */
const spareMs = 5_000
const renewAfterShare = 0.8
/** Refused credentials are not sent again within this time, because auth permits ten wrong secrets per minute. */
const refusalHoldsMs = 10_000

export function createTokens(options: CredentialsOptions): Tokens {
  const { billingId, clientId, clientSecret, ca } = options
  const url = serviceUrl(options.authUrl, '/auth')
  const json = { billingId, clientId, clientSecret }
  return tokensFrom({
    address: url.origin,
    ask: () => requestJson({ url, method: 'POST', json, ca, timeoutMs }),
    nowMs: Date.now,
    random: Math.random,
  })
}

export function tokensFrom(deps: TokensDeps): Tokens {
  const { nowMs } = deps
  let held: Held | undefined
  let asking: Promise<Held> | undefined
  let renewal = { failures: 0, notBeforeMs: 0 }
  let refusal: { error: RejectedError; untilMs: number } | undefined

  async function ask(): Promise<Held> {
    if (refusal !== undefined && nowMs() < refusal.untilMs) throw refusal.error
    try {
      held = heldOf(await answered(deps), deps)
      renewal = { failures: 0, notBeforeMs: 0 }
      return held
    } catch (error) {
      if (error instanceof RejectedError) refusal = { error, untilMs: nowMs() + refusalHoldsMs }
      throw error
    }
  }
  const asked = (): Promise<Held> =>
    (asking ??= ask().finally(() => {
      asking = undefined
    }))

  /** Callers do not wait for the renewal, because a failure matters only once the current token has expired. */
  function renew(): void {
    if (asking !== undefined || nowMs() < renewal.notBeforeMs) return
    asked().catch(() => {
      const failures = renewal.failures + 1
      renewal = { failures, notBeforeMs: nowMs() + pauseMs(failures, undefined, deps.random) }
    })
  }

  return {
    async get() {
      const now = nowMs()
      if (held === undefined || now >= held.goodUntilMs) return (await asked()).token
      if (now >= held.renewAtMs) renew()
      return held.token
    },
    refused(token) {
      if (held?.token === token) held = undefined
    },
  }
}

async function answered({ address, ask, nowMs }: TokensDeps): Promise<JsonReply> {
  let reply: JsonReply
  try {
    reply = await ask()
  } catch (error) {
    throw error instanceof Error ? new NoToken(error.message, undefined, error.cause) : error
  }
  const { status, headers, json } = reply
  if (status === 200) return reply
  if (status === 429 || status === 408 || status >= 500) {
    const retryAfterMs = retryAfterMsOf(headers['retry-after'], nowMs())
    throw new NoToken(`auth at ${address} answers ${status}`, retryAfterMs)
  }
  const said = memberOf(json, 'message')
  throw refusedByAuth(
    rejectionCodeOf(memberOf(json, 'code')),
    typeof said === 'string' ? said : authAnswers(address, status),
    status,
  )
}

function heldOf({ headers, json }: JsonReply, { address, nowMs }: TokensDeps): Held {
  const token = memberOf(json, 'idToken')
  const expiresAt = memberOf(json, 'expiresAt')
  if (typeof token !== 'string' || typeof expiresAt !== 'number')
    throw refusedByAuth('refused', wrongAddress('auth', address, 'it gives no token'), 200)
  return { token, ...timesOf({ expiresAt, date: headers.date, nowMs: nowMs() }) }
}

/**
 * Returns when to renew a token, and how long to use it, by this machine's clock. The lifetime is computed with the
 * response's date, because this machine's clock may be hours off.
 */
export function timesOf(told: {
  readonly expiresAt: number
  readonly date: string | undefined
  readonly nowMs: number
}): { renewAtMs: number; goodUntilMs: number } {
  const { expiresAt, date, nowMs } = told
  const theirs = date === undefined ? Number.NaN : Date.parse(date)
  const livesMs = expiresAt * 1000 - (Number.isNaN(theirs) ? nowMs : theirs)
  const goodMs = Math.max(0, livesMs - spareMs)
  return {
    renewAtMs: nowMs + Math.min(goodMs, livesMs * renewAfterShare),
    goodUntilMs: nowMs + goodMs,
  }
}
