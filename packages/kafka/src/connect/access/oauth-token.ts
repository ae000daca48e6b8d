// Gets access tokens for OAUTHBEARER with the client credentials grant (RFC 6749 4.4). Renews a token well before it
// expires, because the broker ends a session when the token of its login expires.

import { codeIn, hintFor, httpCall } from '@weir/kit'
import type { HttpAnswer } from '@weir/kit'
import { KafkaError } from '../../errors.ts'

export type TokenSource = {
  /**
   * Concurrent callers share one request. Throws KafkaError `kafka.no_token`, with a message that says what to check.
   */
  token(): Promise<string>
  /** Call when the broker has refused the token. The next call of `token` requests a new token. */
  forget(): void
}

export type TokenSourceOptions = {
  readonly url: string
  readonly clientId: string
  readonly scope: string | undefined
  readonly secret: () => string
  readonly ca: () => Buffer | undefined
}

const TIMEOUT_MS = 5_000
const USED_SHARE = 0.8
const LEFT_MS_MIN = 20_000
const SECONDS_UNSAID = 60
const SETTINGS = {
  address: 'KAFKA_OAUTH_TOKEN_URL',
  ca: 'KAFKA_OAUTH_CA_FILE',
  noTls: 'begin KAFKA_OAUTH_TOKEN_URL with http://',
}

type Token = { readonly value: string; readonly untilMs: number }

export function createTokenSource(options: TokenSourceOptions): TokenSource {
  let token: Token | undefined
  let asking: Promise<Token> | undefined

  async function ask(): Promise<Token> {
    const askedMs = performance.now()
    const { value, seconds } = tokenIn(await askEndpoint(options))
    const lifeMs = seconds * 1_000
    return { value, untilMs: askedMs + Math.min(lifeMs * USED_SHARE, lifeMs - LEFT_MS_MIN) }
  }

  return {
    async token() {
      if (token === undefined || performance.now() > token.untilMs) {
        token = undefined
        asking ??= ask().finally(() => (asking = undefined))
        token = await asking
      }
      return token.value
    },
    forget() {
      token = undefined
    },
  }
}

async function askEndpoint(options: TokenSourceOptions): Promise<HttpAnswer> {
  const { url, clientId, scope, secret, ca } = options
  // RFC 6749 2.3.1: id and secret are form-encoded before they are joined.
  const login = `${formValue(clientId)}:${formValue(secret())}`
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) })
  try {
    return await httpCall(new URL(url), {
      method: 'POST',
      headers: {
        accept: 'application/json',
        authorization: `Basic ${Buffer.from(login).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: form.toString(),
      ca: ca(),
      timeoutMs: TIMEOUT_MS,
    })
  } catch (error) {
    const code = codeIn(error)
    const hint = hintFor(code, SETTINGS) ?? 'it does not answer'
    throw noToken(`the token endpoint: ${hint}${code === '' ? '' : ` (${code})`}`, error)
  }
}

function tokenIn({ status, text }: HttpAnswer): { value: string; seconds: number } {
  if (status === 400 || status === 401 || status === 403) {
    throw noToken(
      `the token endpoint refuses our client (${status}); see KAFKA_OAUTH_CLIENT_ID, KAFKA_OAUTH_CLIENT_SECRET_FILE and KAFKA_OAUTH_SCOPE`,
    )
  }
  if (status !== 200) throw noToken(`the token endpoint answers with ${status}`)
  const answer = parsed(text)
  const value = answer['access_token']
  const seconds = Number(answer['expires_in'] ?? SECONDS_UNSAID)
  // A token must contain no character that could end the message to the broker early.
  if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value) || !(seconds > 0)) {
    throw noToken('the token endpoint answers without a token; see KAFKA_OAUTH_TOKEN_URL')
  }
  return { value, seconds }
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return Object.fromEntries(Object.entries(value ?? {}))
  } catch {
    return {}
  }
}

const formValue = (value: string): string => new URLSearchParams({ '': value }).toString().slice(1)

const noToken = (message: string, cause?: unknown) =>
  new KafkaError('kafka.no_token', message, { cause })
