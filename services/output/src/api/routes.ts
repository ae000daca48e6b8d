// output's HTTP server. Upgrades go to the gateway, /docs and /openapi.json document the API, and /console serves the
// console. The paths under /v2 serve data that only output has. auth serves the management of accounts and streams.
import type { Server } from 'node:http'
import { createNodeServer } from '@weir/http2'
import type { Guesses, Log, PageOf } from '@weir/kit'
import type { Express } from 'express'
import packageJson from '../../package.json' with { type: 'json' }
import { mountConsole } from './console.ts'
import type { ConsoleSettings } from './console.ts'
import { listDead, retryDead, showLag } from '../dead-letters/dead-letters.ts'
import type { DeadDeps } from '../dead-letters/dead-letters.ts'
import { errors } from '../errors.ts'
import type { CallerWithRole } from '../access/callers.ts'
import type { Gateway } from '../websocket/gateway.ts'
import { answerRest, createExpress, showApi, showOpenApi, showStyle } from '@weir/http-api'
import type { WrongSecret } from '@weir/http-api'
import { bearerOf } from '@weir/control-state'
import type { AccessTrace } from '@weir/control-state'
import { mountRoute } from './mount.ts'
import { openApi } from './openapi/document.ts'
import { downloadEvents } from '../subject-access/subject-access.ts'
import type { SubjectAccessDeps } from '../subject-access/subject-access.ts'
import { giveKeys } from '../reader-keys/reader-keys.ts'
import type { ReaderKeysDeps } from '../reader-keys/reader-keys.ts'
import { preview } from '../preview/preview.ts'
import type { PreviewDeps } from '../preview/preview.ts'

export type Routes = DeadDeps &
  PreviewDeps &
  SubjectAccessDeps &
  ReaderKeysDeps & {
    readonly callerWithRole: CallerWithRole
    readonly trace: Pick<AccessTrace, 'read' | 'refused' | 'keys'>
    readonly guesses: Guesses
    readonly log: Log
    readonly console: ConsoleSettings
    /** Returns the URL of an error code's page. */
    readonly pageOf: PageOf
  }

export const createRoutes = (gateway: Pick<Gateway, 'upgrade'>, routes: Routes): Server =>
  createNodeServer({ onRequest: createApp(routes), onUpgrade: gateway.upgrade })

export function createApp(routes: Routes): Express {
  const { log, pageOf, guesses, callerWithRole, trace } = routes
  const app = createExpress(log)
  const on = { app, callerWithRole, trace }
  const documented = { title: 'Weir output', openApi: openApi(packageJson.version), pageOf }
  mountRoute(on, 'GET /openapi.json', showOpenApi(documented))
  mountRoute(on, 'GET /docs', showApi(documented))
  mountRoute(on, 'GET /docs/style.css', showStyle)
  const outputs = '/v2/streams/:stream/outputs'
  mountRoute(on, `POST ${outputs}/preview`, preview(routes))
  mountRoute(on, `GET ${outputs}/:output/dead`, listDead(routes))
  mountRoute(on, `POST ${outputs}/:output/dead/retry`, retryDead(routes))
  mountRoute(on, `GET ${outputs}/:output/lag`, showLag(routes))
  mountRoute(on, 'GET /v2/streams/:stream/subject-access', downloadEvents(routes))
  mountRoute(on, 'POST /v2/keys', giveKeys(routes))
  mountConsole(app, routes.console)
  const notFound = 'There is nothing under this path; events are at /ws, for WebSockets'
  answerRest(app, { notFound, errors, log, pageOf, guesses, wrongSecretOf })
  return app
}

/** Only a wrong API key counts as a guess. */
const wrongSecretOf: WrongSecret = ({ code }, req) =>
  code === 'invalid_api_key' ? bearerOf(req.get('authorization')) : undefined
