// Creates an Express application before its routes are added, and completes it after that. Each request gets an id. A
// request without a matching route is an error.
import express from 'express'
import type { Express } from 'express'
import { nameRequests, tellFaults } from '@weir/kit'
import type { Guesses, Log, PageOf } from '@weir/kit'
import type { Errors } from '../errors.ts'
import { refuse } from '../refusal.ts'
import { answerErrors } from './answer-errors.ts'
import type { WrongSecret } from './answer-errors.ts'

export function createExpress(log: Log): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.use(nameRequests(log))
  return app
}

export type Rest = {
  /** The message for an unknown path. */
  readonly notFound: string
  readonly errors: Errors<string>
  readonly log: Log
  readonly pageOf: PageOf
  readonly guesses: Guesses
  readonly wrongSecretOf: WrongSecret
}

/** Adds the handlers that follow all routes. */
export function answerRest(app: Express, { notFound, log, ...rest }: Rest): void {
  app.use(({ path }) => {
    const isEvent = path === '/event' || path === '/events'
    throw refuse(
      'not_found',
      isEvent ? 'Events are sent to ingest, which has another address' : notFound,
    )
  })
  app.use(answerErrors({ ...rest, onError: tellFaults(log) }))
}
