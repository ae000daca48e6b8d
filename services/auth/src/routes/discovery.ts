// What others need to check our tokens without asking us: the public keys and where things are. Both may
// be kept a few minutes: a key is published an hour before it signs.
import { publishedKeys } from '@weir/streams'
import type { StateFollower } from '@weir/streams'
import { jwks } from '@weir/tokens'
import type { Handler } from '../http.ts'

const headers = { 'cache-control': 'public, max-age=300' }

export const showJwks =
  ({ follower, now }: { follower: StateFollower; now: () => number }): Handler =>
  () => ({ status: 200, headers, body: jwks(publishedKeys(follower.tables, now())) })

/** OpenID Connect Discovery 1.0, 3. */
export const showConfiguration = (issuer: string): Handler => {
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
