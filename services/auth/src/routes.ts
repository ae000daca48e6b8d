// Every path of auth and what answers it. /v1 and /v2 have the same handlers and differ in how they show
// streams.
import express from 'express'
import type { Express } from 'express'
import type { Log } from '@weir/kit'
import { answerErrors, mount, countAnswers } from './http.ts'
import { oauthErrorOf, plainErrorOf, Refusal, statusOf } from './errors.ts'
import type { Management, Shown } from './management.ts'
import type { AuthMetrics } from './metrics.ts'
import { shapes } from './render.ts'
import * as accounts from './routes/accounts.ts'
import * as contracts from './routes/contracts.ts'
import * as credentials from './routes/credentials.ts'
import * as discovery from './routes/discovery.ts'
import * as oauth2 from './routes/oauth2.ts'
import * as outputs from './routes/outputs.ts'
import * as streams from './routes/streams.ts'
import * as tokens from './routes/tokens.ts'
import * as usage from './routes/usage.ts'
import type { TokenDesk } from './token-desk.ts'

export type Routes = {
  readonly management: Management
  readonly desk: TokenDesk
  readonly issuer: string
  readonly metrics: AuthMetrics
  readonly log: Log
  /** False until control state is read and the keys are there. */
  readonly isOpen: () => boolean
}

export function createApp({ management, desk, issuer, metrics, log, isOpen }: Routes): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.use(countAnswers(metrics))
  app.use((_req, _res, next) => {
    if (!isOpen()) throw new Refusal('unavailable', 'auth is starting; try again in a moment')
    next()
  })
  mountTokens(app, desk)
  mountDiscovery(app, management, issuer)
  for (const [version, shape] of Object.entries(shapes))
    mountManagement(app, `/${version}`, { ...management, shape })
  app.use(() => {
    throw new Refusal('not_found', 'There is nothing under this path')
  })
  app.use(answerErrors((refusal) => logFault(log, refusal)))
  return app
}

/** What is our side's fault; a refusal for other reasons is the client's to read. */
function logFault(log: Log, refusal: Refusal): void {
  if (refusal.cause === undefined || statusOf(refusal) < 500) return
  const level = refusal.code === 'internal' ? 'error' : 'warn'
  log[level]({ err: refusal.cause, code: refusal.code }, 'a request failed for a fault of ours')
}

function mountTokens(app: Express, desk: TokenDesk): void {
  mount(app, '/auth', { POST: tokens.issueForSecret(desk) }, plainErrorOf)
  mount(app, '/refresh', { POST: tokens.issueForRefreshToken(desk) }, plainErrorOf)
  mount(app, '/oauth2/token', { POST: oauth2.issueForGrant(desk) }, oauthErrorOf)
}

function mountDiscovery(app: Express, { stewardship }: Management, issuer: string): void {
  mount(app, '/.well-known/jwks.json', { GET: discovery.showJwks(stewardship) })
  mount(app, '/.well-known/openid-configuration', { GET: discovery.showConfiguration(issuer) })
}

function mountManagement(app: Express, base: string, deps: Shown): void {
  mount(app, `${base}/account`, { GET: accounts.showAccount(deps) })
  mount(app, `${base}/accounts`, { POST: accounts.makeAccount(deps) })
  mount(app, `${base}/accounts/:billingId/keys`, { POST: accounts.makeApiKey(deps) })
  mount(app, `${base}/streams`, {
    GET: streams.listStreams(deps),
    POST: streams.makeStream(deps),
  })
  const stream = `${base}/streams/:stream`
  mount(app, stream, {
    GET: streams.showStream(deps),
    PATCH: streams.changeStream(deps),
    DELETE: streams.dropStream(deps),
  })
  mount(app, `${stream}/usage`, { GET: usage.showUsage(deps) })
  mount(app, `${stream}/outputs`, {
    GET: outputs.listOutputs(deps),
    POST: outputs.makeOutput(deps),
  })
  const output = `${stream}/outputs/:output`
  mount(app, output, {
    GET: outputs.showOutput(deps),
    PATCH: outputs.changeOutput(deps),
    DELETE: outputs.dropOutput(deps),
  })
  for (const owner of [stream, output]) {
    mount(app, `${owner}/credentials`, { POST: credentials.makeCredentials(deps) })
    mount(app, `${owner}/credentials/:clientId`, { DELETE: credentials.dropCredentials(deps) })
  }
  mount(app, `${base}/contracts`, {
    GET: contracts.listContracts(deps),
    POST: contracts.makeContract(deps),
  })
  mount(app, `${base}/contracts/:contract`, { GET: contracts.showContract(deps) })
  mount(app, `${base}/contracts/:contract/archive`, { POST: contracts.retireContract(deps) })
}
