// What output answers to HTTP: upgrades go to the gateway, and a few paths under /v2 tell of derived streams what
// only output can know. Everything else of management is auth's.
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { Log } from '@weir/kit'
import express from 'express'
import { listDead, retryDead, showLag } from './dead.ts'
import type { DeadDeps } from './dead.ts'
import { Refusal, statusOf } from './errors.ts'
import type { Gateway } from './gateway.ts'
import { answerErrors, mount } from './http.ts'
import { preview } from './preview.ts'
import type { PreviewDeps } from './preview.ts'

export type Routes = DeadDeps & PreviewDeps & { readonly log: Log }

export function createRoutes(gateway: Pick<Gateway, 'upgrade'>, routes: Routes): Server {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  const outputs = '/v2/streams/:stream/outputs'
  mount(app, 'POST', `${outputs}/preview`, preview(routes))
  mount(app, 'GET', `${outputs}/:output/dead`, listDead(routes))
  mount(app, 'POST', `${outputs}/:output/dead/retry`, retryDead(routes))
  mount(app, 'GET', `${outputs}/:output/lag`, showLag(routes))
  app.use(() => {
    throw new Refusal('not_found', 'There is nothing under this path; events are at /ws')
  })
  app.use(answerErrors((refusal) => logFault(routes.log, refusal)))
  return createServer(app).on('upgrade', gateway.upgrade)
}

/** What is our side's fault; a refusal for other reasons is the client's to read. */
function logFault(log: Log, refusal: Refusal): void {
  if (refusal.cause === undefined || statusOf(refusal) < 500) return
  const level = refusal.code === 'internal' ? 'error' : 'warn'
  log[level]({ err: refusal.cause, code: refusal.code }, 'a request failed for a fault of ours')
}
