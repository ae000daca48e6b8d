// What others need to check our tokens without asking us: the public keys and where things are. Both may
// be kept a few minutes: a key is published an hour before it signs.
import { pollUntil } from '@weir/kit'
import { publishedKeys } from '../../control/keys/signing-keys.ts'
import { receiptJwks } from '../../control/erasure/receipts.ts'
import type { StateFollower } from '@weir/control-state'
import { jwks } from '@weir/tokens'
import type { RouteHandler } from '@weir/http-api'
import type { TokenKeysState } from '../../compose/controller.ts'

const headers = { 'cache-control': 'public, max-age=300' }

export type Discovery = {
  readonly follower: Pick<StateFollower, 'tables'>
  readonly tokenKeys: () => TokenKeysState
  readonly issuer: string
  readonly now: () => number
}

/** Longer than reading control state takes, and shorter than whoever asks for keys waits. */
const keysKnownWithinMs = 5_000

/**
 * Answers in any case. Without Kafka there are no keys, and Kafka's own brokers don't start without an answer:
 * they take an empty set, and look again later. Once Kafka is reached, keys are waited for, so that nobody
 * replaces the keys that he has by an empty set.
 */
export const showJwks =
  ({ follower, tokenKeys, now }: Discovery): RouteHandler =>
  async () => {
    const what = 'reading the keys'
    await pollUntil(() => tokenKeys() !== 'being read', {
      deadlineMs: keysKnownWithinMs,
      everyMs: 20,
      what,
    }).catch(() => undefined)
    if (tokenKeys() !== 'known') return { status: 200, body: jwks([]) }
    return {
      status: 200,
      headers,
      body: jwks([...publishedKeys(follower.tables, now()), ...receiptJwks(follower.tables)]),
    }
  }

/** OpenID Connect Discovery 1.0, 3. */
export const showConfiguration = ({ issuer }: Discovery): RouteHandler => {
  const body = {
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    token_endpoint: `${issuer}/oauth2/token`,
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    scopes_supported: ['send', 'listen'],
  }
  return () => ({ status: 200, headers, body })
}
