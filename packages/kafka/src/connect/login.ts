// Logging in to a broker, in the form that kafkajs calls: at the start of each connection, and again before a
// session ends that the broker has bounded (KIP-368). Passwords and tokens are got anew each time. kafkajs speaks
// PLAIN and SCRAM; its OAUTHBEARER takes a refusal for success, so that one is spoken here (RFC 7628 3.2.3).
import type { AuthenticationProviderArgs, Authenticator, Mechanism } from 'kafkajs'
import Encoder from 'kafkajs/src/protocol/encoder.js'
import plain from 'kafkajs/src/broker/saslAuthenticator/plain.js'
import scram256 from 'kafkajs/src/broker/saslAuthenticator/scram256.js'
import scram512 from 'kafkajs/src/broker/saslAuthenticator/scram512.js'

import { hasCode } from '@weir/kit'

import { protocolTypeOf } from './faults.ts'
import type { TokenSource } from './oauth-token.ts'
import type { Troubles } from './troubles.ts'

export type PasswordLogin = {
  readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512'
  readonly username: string
  readonly password: () => string
}

export type TokenLogin = { readonly mechanism: 'OAUTHBEARER' } & TokenSource

export type Login = PasswordLogin | TokenLogin

const BY_PASSWORD = { PLAIN: plain, 'SCRAM-SHA-256': scram256, 'SCRAM-SHA-512': scram512 }
const AFTER_REFUSAL = Buffer.from([1])
const SIZE_BYTES = 4
const TOKEN_REFUSED =
  'the broker refuses the token; see KAFKA_OAUTH_SCOPE, and which issuer and audience the broker expects'
const LOGIN_FAILED = 'KafkaJSSASLAuthenticationError'

export function mechanismOf(login: Login, troubles: Troubles): Mechanism {
  return {
    mechanism: login.mechanism,
    authenticationProvider: (args) => ({
      async authenticate() {
        const broker = `${args.host}:${args.port}`
        try {
          await authenticatorOf(login, args).authenticate()
        } catch (error) {
          troubles.loginRefused(broker, reasonOf(login, error))
          throw error
        }
      },
    }),
  }
}

function authenticatorOf(login: Login, args: AuthenticationProviderArgs): Authenticator {
  if (login.mechanism === 'OAUTHBEARER') return { authenticate: () => showToken(login, args) }
  const { username, password } = login
  return BY_PASSWORD[login.mechanism]({ username, password: password() })(args)
}

async function showToken(login: TokenLogin, { saslAuthenticate }: AuthenticationProviderArgs) {
  const say = (message: Buffer) =>
    saslAuthenticate({
      request: { encode: () => new Encoder().writeBytes(message).buffer },
      response: { decode: (answer) => answer, parse: (answer) => answer },
    })
  const token = await tokenOf(login)
  try {
    const answer = await say(Buffer.from(`n,,\u0001auth=Bearer ${token}\u0001\u0001`))
    if (!answer || answer.length <= SIZE_BYTES) return
    // What it says is why it refuses; it then waits for this before it ends the attempt.
    await say(AFTER_REFUSAL)
  } catch (error) {
    if (protocolTypeOf(error) !== 'SASL_AUTHENTICATION_FAILED') throw error
  }
  login.forget()
  throw refusal(TOKEN_REFUSED)
}

async function tokenOf(login: TokenLogin): Promise<string> {
  try {
    return await login.token()
  } catch (error) {
    throw hasCode(error, 'kafka.no_token') ? refusal(error.message) : error
  }
}

// As kafkajs names a login that failed: it isn't tried again by kafkajs; who called it decides that.
const refusal = (message: string): Error =>
  Object.assign(new Error(message), { name: LOGIN_FAILED, retriable: false })

function reasonOf(login: Login, error: unknown): string {
  const isRefusal = error instanceof Error && error.name === LOGIN_FAILED
  if (!isRefusal) return `the login by ${login.mechanism} broke off`
  if (login.mechanism === 'OAUTHBEARER') return `no login: ${error.message}`
  return `it refuses the login by ${login.mechanism}; see KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD_FILE`
}
