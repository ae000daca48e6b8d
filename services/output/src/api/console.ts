// Serves the console at /console: the files that clients/console has built. The headers let the page load only these
// files, and connect only to Weir. The page is public because it contains no secret: it requests its data with the API
// key that its user enters.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import express from 'express'
import type { Express, NextFunction, Request, Response } from 'express'

export type ConsoleSettings = {
  readonly folder: string
  /** The addresses of auth and ingest for browsers. */
  readonly authUrl: string
  readonly ingestUrl: string
}

export function mountConsole(app: Express, settings: ConsoleSettings): void {
  const { folder, authUrl, ingestUrl } = settings
  const isBuilt = existsSync(join(folder, 'index.html'))
  const console = express.Router()
  console.use(protect(policyOf(settings)))
  console.get('/where.json', (_req, res) => void res.json({ authUrl, ingestUrl }))
  if (isBuilt) console.use(express.static(folder, { etag: true, setHeaders: keepAssets }))
  else console.get('/', (_req, res) => void res.status(404).type('text').send(notBuilt))
  app.use('/console', console)
  if (isBuilt) app.get('/', (_req, res) => res.redirect('console/'))
}

const notBuilt =
  'The console is not built here. npm start builds it, and so does: node clients/console/src/build.ts\n'

/** `'self'` is this origin, including its WebSockets. */
const policyOf = ({ authUrl, ingestUrl }: ConsoleSettings): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${new URL(authUrl).origin} ${new URL(ingestUrl).origin}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')

function protect(policy: string) {
  return (_req: Request, res: Response, next: NextFunction): void => {
    res.set({
      'content-security-policy': policy,
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    })
    next()
  }
}

/** The names of assets change with their content, so browsers may cache them forever. */
function keepAssets(res: Response, path: string): void {
  if (path.includes('/assets/')) res.set('cache-control', 'public, max-age=31536000, immutable')
}
