// Mounts every path of auth with its handlers. /v1 and /v2 have the same handlers and show streams differently.
import { needsOf } from './route-needs.ts'
import type { Express } from 'express'
import { createCors } from '@weir/kit'
import type { Guesses, Log, PageOf } from '@weir/kit'
import type { RouteHandler } from '@weir/http-api'
import {
  answerRest,
  countAnswers,
  createExpress,
  errorsUnder,
  mount,
  shareWith,
  showOpenApi,
  showStyle,
} from '@weir/http-api'
import type { JsonSchema } from '@weir/docs'
import { errors, oauthErrorOf, plainErrorOf, refusal } from '../errors.ts'
import { wrongSecretOf } from './wrong-secret.ts'
import type { Management } from './management.ts'
import { mountManagement } from './mount-management.ts'
import type { AuthMetrics } from '../metrics.ts'
import { registryErrorOf } from '../registry/refusals.ts'
import { shapesWith } from './render.ts'
import * as discovery from './routes/discovery.ts'
import * as oauth2 from './routes/oauth2.ts'
import * as registry from './routes/registry.ts'
import * as tokens from './routes/tokens.ts'
import { mountSite } from './site.ts'
import { showNoIcon, showPage, showScript, verifyForAnyone } from '../verify/verify.ts'
import type { TokenService } from '../tokens/token-service.ts'

export type Routes = {
  readonly management: Management
  readonly tokenService: TokenService
  readonly discovery: discovery.Discovery
  readonly registryDoor: registry.RegistryDoor
  readonly openApi: JsonSchema
  readonly siteFolder: string
  readonly metrics: AuthMetrics
  readonly guesses: Guesses
  readonly log: Log
  /** The origins of web pages that may call auth. */
  readonly origins: readonly string[]
  readonly kafkaPrefix: string
  /** Returns the address of the page that explains a code. */
  readonly pageOf: PageOf
  /**
   * Returns false until all boot steps have succeeded, while a record can't be read, and during a restore. Discovery
   * works even then.
   */
  readonly isOpen: () => boolean
}

export function createApp(routes: Routes): Express {
  const { management, tokenService, metrics, log, pageOf, isOpen } = routes
  const app = createExpress(log)
  app.use(countAnswers(metrics.answered))
  app.use(shareWith(createCors({ origins: routes.origins, requestHeaders: [] })))
  // Mounted before the check of `isOpen`. auth needs Kafka's brokers, and a starting broker exits if discovery does not
  // respond.
  mountDiscovery(app, routes.discovery)
  mountDocs(app, routes)
  errorsUnder(app, '/registry', registryErrorOf)
  app.use((_req, _res, next) => {
    if (!isOpen()) throw refusal('unavailable', 'auth is not ready; try again in a moment')
    next()
  })
  mountTokens(app, tokenService)
  mountVerifying(app, management)
  mountRegistry(app, routes.registryDoor)
  for (const [version, shape] of Object.entries(
    shapesWith(routes.kafkaPrefix, management.state.tables),
  ))
    mountManagement(app, version === 'v1' ? '/v1' : '/v2', { ...management, shape })
  const { guesses } = routes
  const notFound = 'There is nothing under this path'
  answerRest(app, { notFound, errors, log, pageOf, guesses, wrongSecretOf })
  return app
}

function mountTokens(app: Express, tokenService: TokenService): void {
  mount({ app, needsOf }, '/auth', { POST: tokens.issueForSecret(tokenService) }, plainErrorOf)
  mount(
    { app, needsOf },
    '/refresh',
    { POST: tokens.issueForRefreshToken(tokenService) },
    plainErrorOf,
  )
  mount(
    { app, needsOf },
    '/oauth2/token',
    { POST: oauth2.issueForGrant(tokenService) },
    oauthErrorOf,
  )
}

function mountVerifying(app: Express, { state }: Management): void {
  mount({ app, needsOf }, '/verify', { GET: showPage })
  mount({ app, needsOf }, '/favicon.ico', { GET: showNoIcon })
  mount({ app, needsOf }, '/verify/page.js', { GET: showScript })
  mount({ app, needsOf }, '/v2/receipts/verify', { POST: verifyForAnyone(state) })
}

function mountRegistry(app: Express, door: registry.RegistryDoor): void {
  const show = (path: string, handler: (door: registry.RegistryDoor) => RouteHandler): void =>
    mount({ app, needsOf }, `/registry${path}`, { GET: handler(door) }, registryErrorOf)
  show('/schemas/types', registry.listTypes)
  show('/schemas/ids/:schemaId', registry.showSchema)
  show('/schemas/ids/:schemaId/schema', registry.showSchemaText)
  show('/schemas/ids/:schemaId/subjects', registry.listSubjectsOfSchema)
  show('/schemas/ids/:schemaId/versions', registry.listVersionsOfSchema)
  show('/subjects', registry.listSubjects)
  show('/subjects/:subject/versions', registry.listVersions)
  show('/subjects/:subject/versions/:version', registry.showVersion)
  show('/subjects/:subject/versions/:version/schema', registry.showVersionText)
  show('/config', registry.showConfig)
  show('/config/:subject', registry.showConfigOfSubject)
  show('/mode', registry.showMode)
  show('/mode/:subject', registry.showModeOfSubject)
}

function mountDiscovery(app: Express, deps: discovery.Discovery): void {
  mount({ app, needsOf }, '/.well-known/jwks.json', { GET: discovery.showJwks(deps) })
  mount({ app, needsOf }, '/.well-known/openid-configuration', {
    GET: discovery.showConfiguration(deps),
  })
}

function mountDocs(app: Express, { openApi, siteFolder }: Routes): void {
  mount({ app, needsOf }, '/openapi.json', { GET: showOpenApi({ openApi }) })
  mount({ app, needsOf }, '/docs/style.css', { GET: showStyle })
  mountSite(app, siteFolder)
}
