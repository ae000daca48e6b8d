// Returns the secret of a refused request if it may be a guess; otherwise undefined. packages/http-api limits guesses.
import type { WrongSecret } from '@weir/http-api'
import { bearerOf } from '@weir/control-state'

export const wrongSecretOf: WrongSecret = ({ code }, req) => {
  if (code === 'invalid_api_key' || code === 'invalid_platform_key')
    return bearerOf(req.get('authorization'))
  // authenticate.ts counts wrong client secrets, by clientId.
  if (code !== 'invalid_credentials' || req.path !== '/refresh') return undefined
  const body: unknown = req.body
  return Buffer.isBuffer(body) ? body.toString('latin1') : undefined
}
