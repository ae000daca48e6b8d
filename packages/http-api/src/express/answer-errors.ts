// The last handler: turns anything that was thrown into a response that names its code and links to the code's page.
import type { NextFunction, Request, Response } from 'express'
import { helpLink, tooManyGuesses } from '@weir/kit'
import type { Guesses, PageOf, RefusedRequest } from '@weir/kit'
import type { Errors } from '../errors.ts'
import { refuse } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'
import type { ErrorForm } from './answer.ts'
import { send } from './mount.ts'

/** Returns the wrong secret in a refused request; undefined if the refusal has another reason. */
export type WrongSecret = (refusal: Refusal, req: Request) => string | undefined

export type AnswerErrorsOptions = {
  readonly errors: Errors<string>
  readonly pageOf: PageOf
  readonly onError: (refused: RefusedRequest, res: Response) => void
  readonly guesses: Guesses
  readonly wrongSecretOf: WrongSecret
}

/** The handler has four parameters, by which Express recognises an error handler. */
export function answerErrors({ errors, pageOf, onError, ...guessing }: AnswerErrorsOptions) {
  return (error: unknown, req: Request, res: Response, _next: NextFunction): void => {
    const refusal = limitGuesses(guessing, errors.refusalOf(error), req)
    const { code, cause = refusal } = refusal
    onError({ code, status: errors.statusOf(refusal), error: cause }, res)
    res.locals.code = code
    if (res.headersSent) return void res.destroy()
    res.setHeader('link', helpLink(pageOf(code)))
    res.setHeader('svc-error', code)
    send(res, (errorFormOf(res) ?? errors.problemOf)(refusal, pageOf))
  }
}

/** Returns another refusal if there were too many wrong secrets. Never limits requests with a valid secret. */
function limitGuesses(
  { guesses, wrongSecretOf }: Pick<AnswerErrorsOptions, 'guesses' | 'wrongSecretOf'>,
  refusal: Refusal,
  req: Request,
): Refusal {
  const secret = wrongSecretOf(refusal, req)
  const waitSeconds = secret === undefined ? undefined : guesses.count(req, secret)
  if (waitSeconds === undefined) return refusal
  return refuse('too_many_failures', tooManyGuesses, {
    headers: { 'retry-after': String(waitSeconds) },
  })
}

/** `res.locals` is untyped. Only `mount` and `errorsUnder` set this member. */
const errorFormOf = (res: Response): ErrorForm | undefined =>
  res.locals.errorForm as ErrorForm | undefined
