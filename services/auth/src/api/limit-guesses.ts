// Which refusals may be guesses of a secret, and what becomes of those that are too many. It wraps all of
// authentication from behind, where a refusal becomes an answer: whoever proves himself never comes here.
import type { Request } from 'express'
import { tooManyGuesses } from '@weir/kit'
import type { Guesses } from '@weir/kit'
import { bearerOf } from '@weir/control-state'
import { Refusal } from '../errors.ts'

export type LimitGuesses = (refusal: Refusal, req: Request) => Refusal

export const limitGuesses =
  (guesses: Guesses): LimitGuesses =>
  (refusal, req) => {
    const secret = wrongSecretIn(refusal, req)
    const waitSeconds = secret === undefined ? undefined : guesses.count(req, secret)
    if (waitSeconds === undefined) return refusal
    return new Refusal('too_many_failures', tooManyGuesses, {
      headers: { 'retry-after': String(waitSeconds) },
    })
  }

function wrongSecretIn({ code }: Refusal, req: Request): string | undefined {
  if (code === 'invalid_api_key' || code === 'invalid_platform_key')
    return bearerOf(req.get('authorization'))
  // Wrong client secrets are counted by clientId, in authenticate.ts.
  if (code !== 'invalid_credentials' || req.path !== '/refresh') return undefined
  const body: unknown = req.body
  return Buffer.isBuffer(body) ? body.toString('latin1') : undefined
}
