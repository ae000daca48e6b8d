// /oauth2/token: the client credentials grant (RFC 6749 4.4), so that any OAuth client gets the same id token. The
// client authenticates with HTTP Basic or in the form, but not with both.
import { basicOf } from '../../tokens/basic.ts'
import { refusal } from '../../errors.ts'
import type { Call, RouteHandler } from '@weir/http-api'
import type { AnswerNamed } from '../answers/answers.ts'
import { idLifeSecondsMax } from '@weir/tokens'
import type { Secrets } from '../../tokens/authenticate.ts'
import { malformedBody, parseForm, tokenBodyBytesMax } from '../../tokens/token-body.ts'
import type { TokenService } from '../../tokens/token-service.ts'
import { counted } from './tokens.ts'

export const issueForGrant =
  (tokenService: TokenService): RouteHandler =>
  (call) =>
    counted(tokenService, 'client_credentials', async () => {
      const form = parseForm(await call.readBody(tokenBodyBytesMax))
      const grant = form.get('grant_type')
      if (grant === undefined) throw malformedBody('grant_type is missing')
      const secrets = secretsOf(call, form)
      if (grant !== 'client_credentials')
        throw refusal('unsupported_grant_type', 'The only grant_type is client_credentials')
      const client = await tokenService.authenticator.bySecret(secrets)
      await tokenService.trace(client, call.requestId)
      const body: AnswerNamed<'AccessToken'> = {
        access_token: tokenService.issue(client).idToken,
        token_type: 'Bearer',
        expires_in: idLifeSecondsMax,
        scope: client.credential.scope.join(' '),
      }
      return { status: 200, headers: { pragma: 'no-cache' }, body }
    })

function secretsOf(call: Call, form: ReadonlyMap<string, string>): Secrets {
  const authorization = call.header('authorization')
  const clientId = form.get('client_id')
  const clientSecret = form.get('client_secret')
  if (authorization !== undefined) {
    if (clientSecret !== undefined)
      throw malformedBody('Send the client secret in one place, not in two')
    const basic = basicOf(authorization)
    if (clientId !== undefined && clientId !== basic.clientId)
      throw malformedBody('client_id differs from the clientId in the header Authorization')
    return basic
  }
  if (!clientId || !clientSecret)
    throw refusal('invalid_credentials', 'Send client_id and client_secret, or HTTP Basic')
  return { clientId, clientSecret }
}
