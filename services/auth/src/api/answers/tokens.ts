// The responses with tokens, and the error responses of the token and registry endpoints.
import { count, string } from '@weir/http-api'
import { z } from 'zod'

const bearer = { access_token: string, token_type: z.literal('Bearer') }

export const tokenAnswers = {
  /**
   * Must have no other members, because drivers fail on unknown members. `expiresAt`: the id token's expiry in epoch
   * seconds.
   */
  Tokens: z.strictObject({ idToken: string, refreshToken: string, expiresAt: count }),
  AccessToken: z.strictObject({ ...bearer, expires_in: count, scope: string }),
  Refusal: z.strictObject({ code: string, message: string }),
  OAuthError: z.strictObject({ error: string, error_description: string, error_uri: string }),
  RegistryError: z.strictObject({ error_code: count, message: string }),
}
