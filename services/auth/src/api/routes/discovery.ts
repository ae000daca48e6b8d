// The public keys and endpoints that other systems need to verify auth's tokens. Responses may be cached for five
// minutes, because a key is usually published an hour before it signs.
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

/** Longer than reading control state takes, and shorter than the time-out of clients that request the keys. */
const keysKnownWithinMs = 5_000

/**
 * Until Kafka is reached, responds with an empty set of keys. Kafka's own brokers need a response to start, and refresh
 * the set later. Once Kafka is reached, the response waits up to 5 s for the keys, so that clients rarely replace known
 * keys by an empty set.
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

/** Responds as OpenID Connect Discovery 1.0 specifies in section 3. */
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
