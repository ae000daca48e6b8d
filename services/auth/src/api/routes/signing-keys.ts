// Creates a token-signing key immediately, for the platform, in case the former key was copied.
import { rotateSigningKeys } from '../../control/keys/signing-keys.ts'
import type { PlatformCall } from '../managed.ts'
import { signingKeysBody } from '../bodies.ts'
import type { RouteAnswer } from '@weir/http-api'
import type { AnswerNamed } from '../answers/answers.ts'
import { acting } from '../management.ts'
import type { Management } from '../management.ts'
import { checkBody, readOptionalJson } from '@weir/http-api'

/** Brokers verify tokens themselves, with keys that they refresh only from time to time. */
const BROKERS =
  'Brokers accept tokens of a revoked key until they read the key set again (sasl.oauthbearer.jwks.endpoint.refresh.ms). An open connection stays until its session ends (connections.max.reauth.ms).'

export const rotateSigning =
  (deps: Pick<Management, 'keys'>) =>
  async (call: PlatformCall): Promise<RouteAnswer<AnswerNamed<'SigningKeys'>>> => {
    const { revoke = false } = checkBody(signingKeysBody, await readOptionalJson(call))
    const { kid, revoked } = await rotateSigningKeys(acting(deps.keys, call.caller), { revoke })
    return { status: 200, body: { kid, revoked, brokers: BROKERS } }
  }
