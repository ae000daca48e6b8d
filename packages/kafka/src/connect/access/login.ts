// Logs in to a broker on a new connection, and again on the same connection if the broker limits sessions (KIP-368).
// Each login reads the password or token again. A non-empty OAUTHBEARER response is a refusal (RFC 7628 3.2.3).
import { saslAuthenticateV2, saslHandshakeV1 } from '#client-library'
import type { Connection } from '#client-library'

import { hasCode } from '@weir/kit'

import { LoginFailed, protocolTypeOf } from '../faults.ts'
import type { TokenSource } from './oauth-token.ts'
import { scramLogin } from './scram.ts'
import type { Say } from './scram.ts'

export type PasswordLogin = {
  readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512'
  readonly username: string
  readonly password: () => string
}

export type TokenLogin = { readonly mechanism: 'OAUTHBEARER' } & TokenSource

export type Login = PasswordLogin | TokenLogin

export type KafkaCredentials =
  | { readonly mechanism: PasswordLogin['mechanism']; readonly username: string; password: string }
  | { readonly mechanism: 'OAUTHBEARER'; readonly token: string; forget(): void }

const SCRAM_HASH = { 'SCRAM-SHA-256': 'sha256', 'SCRAM-SHA-512': 'sha512' } as const
const AFTER_REFUSAL = Buffer.from([1])
const TOKEN_REFUSED =
  'the broker refuses the token; see KAFKA_OAUTH_SCOPE, and which issuer and audience the broker expects'

/** Gets the password or a token, without a request to the broker. Throws LoginFailed. */
export async function credentialsOf(login: Login, broker: string): Promise<KafkaCredentials> {
  if (login.mechanism !== 'OAUTHBEARER') return { ...login, password: login.password() }
  try {
    const token = await login.token()
    return { mechanism: login.mechanism, token, forget: login.forget }
  } catch (error) {
    const why = hasCode(error, 'kafka.no_token') ? error.message : 'the token could not be got'
    throw new LoginFailed(`${broker}: no login: ${why}`, { cause: error })
  }
}

/** Returns how long the session may last, in milliseconds, or 0 if the broker doesn't limit it. Throws LoginFailed. */
export async function logIn(
  connection: Connection,
  credentials: KafkaCredentials,
  broker: string,
): Promise<number> {
  let lifetimeMs = 0
  const say: Say = async (message) => {
    const answer = await saslAuthenticateV2.api.async(connection, message)
    lifetimeMs = Number(answer.sessionLifetimeMs)
    return answer.authBytes
  }
  try {
    await saslHandshakeV1.api.async(connection, credentials.mechanism)
    await show(say, credentials)
    return lifetimeMs
  } catch (error) {
    throw new LoginFailed(reasonOf(credentials, broker, error), { cause: error })
  }
}

async function show(say: Say, credentials: KafkaCredentials): Promise<void> {
  if (credentials.mechanism === 'OAUTHBEARER') return showToken(say, credentials)
  const { mechanism, username, password } = credentials
  if (mechanism === 'PLAIN') await say(Buffer.from(`\0${username}\0${password}`))
  else await scramLogin(say, { hash: SCRAM_HASH[mechanism], username, password })
}

async function showToken(
  say: Say,
  { token, forget }: Extract<KafkaCredentials, { mechanism: 'OAUTHBEARER' }>,
): Promise<void> {
  try {
    const answer = await say(Buffer.from(`n,,\u0001auth=Bearer ${token}\u0001\u0001`))
    if (answer.length === 0) return
    // After a refusal, the broker waits for this message before it ends the login.
    await say(AFTER_REFUSAL)
  } catch (error) {
    if (!isRefusal(error)) throw error
  }
  forget()
  throw new LoginFailed(TOKEN_REFUSED)
}

const isRefusal = (error: unknown): boolean =>
  protocolTypeOf(error) === 'SASL_AUTHENTICATION_FAILED'

function reasonOf({ mechanism }: KafkaCredentials, broker: string, error: unknown): string {
  if (protocolTypeOf(error) === 'UNSUPPORTED_SASL_MECHANISM')
    return `the brokers offer no login by ${mechanism}; see KAFKA_SASL_MECHANISM`
  if (error instanceof LoginFailed) return `${broker}: no login: ${error.message}`
  if (!isRefusal(error)) return `${broker}: the login by ${mechanism} broke off`
  return `${broker}: it refuses the login by ${mechanism}; see KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD_FILE`
}
