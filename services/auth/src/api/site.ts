// Serves the site at /docs: the files that packages/docs/src/site has built. Problem documents link to its pages
// /docs/errors/<code>. The site contains no data of an account.
import { existsSync } from 'node:fs'
import { extname, join } from 'node:path'
import { siteHeaders } from '@weir/docs'
import { mount } from '@weir/http-api'
import type { RouteHandler } from '@weir/http-api'
import type { Express, NextFunction, Request, Response } from 'express'
import { refusal } from '../errors.ts'
import { needsOf } from './route-needs.ts'

const options = {
  headers: { ...siteHeaders, 'cache-control': 'public, max-age=300' },
  cacheControl: false,
  acceptRanges: false,
}

/** Unknown paths under /docs become the error `not_found`. */
export function mountSite(app: Express, folder: string): void {
  const path = '/docs{/*page}'
  needsOf(`GET ${path}`)
  app.get(path, (req, res, next) => {
    res.locals.route = path
    if (req.path === '/docs') res.redirect('docs/')
    else show(folder, req, res, next)
  })
  mount({ app, needsOf }, '/', { GET: toDocs })
}

const toDocs: RouteHandler = () => ({ status: 302, headers: { location: 'docs/' }, body: '' })

/** Sends a file. Express refuses paths that leave the folder, and hidden files. */
function show(root: string, { path }: Request, res: Response, next: NextFunction): void {
  res.sendFile(fileOf(path), { ...options, root }, (error?: Error & { status?: number }) => {
    if (error === undefined || res.headersSent) return
    const isUnknown = error.status !== undefined && error.status < 500
    next(isUnknown ? refusal('not_found', notFoundIn(root)) : error)
  })
}

/** Addresses of pages need no `.html`. The links of alerts to their runbooks end with `.md`. */
function fileOf(path: string): string {
  const page = path.replace(/^\/docs\//, '').replace(/\.md$/, '')
  if (page === '') return 'index.html'
  return extname(page) === '' ? `${page}.html` : page
}

const notFoundIn = (folder: string): string =>
  existsSync(join(folder, 'index.html'))
    ? 'There is no such page; see /docs'
    : 'The documents are not built here. npm start builds them, and so does npm run docs:site'
