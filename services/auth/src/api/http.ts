// The seam to Express: a handler takes a request and returns an answer, a path takes a handler for
// each method it knows. What a handler throws goes on to the error form of its path. Express is seen
// here and in routes.ts alone.
import express from 'express'
import type { Express, NextFunction, Request, Response } from 'express'
import { helpLink, requestIdHeader } from '@weir/kit'
import type { createCors, PageOf, Refused } from '@weir/kit'
import type { Actor } from '@weir/control-state'
import { invalid, problemOf, Refusal, refusalOf, statusOf } from '../errors.ts'
import type { LimitGuesses } from './limit-guesses.ts'
import type { AuthMetrics } from '../metrics.ts'
import { needsOf } from './route-needs.ts'

export type Answer = {
  readonly status: number
  /** Sent as JSON; a string as it is, under the content type among the headers. */
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export type Call = {
  /** Decoded segments of the path. */
  param(name: string): string
  /** @throws Refusal `invalid` when it is there twice */
  query(name: string): string | undefined
  header(name: string): string | undefined
  readonly requestId: string
  /** Whose call it is, for the log and for the audit log. */
  isFrom(caller: string, actor: Actor): void
  /**
   * At most 1 MiB unless told otherwise.
   * @throws Refusal `too_large`, `unsupported_encoding`, `invalid_request`
   */
  readBody(bytesMax?: number): Promise<Buffer>
}

export type Handler = (call: Call) => Answer | Promise<Answer>
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
export type ErrorForm = (refusal: Refusal, pageOf: PageOf) => Answer

const bodyBytesMax = 1_048_576

/**
 * Answers a path. Methods without a handler get 405 and an `Allow` header.
 * @throws Error for a route that has no entry in the table of routes
 */
export function mount(
  app: Express,
  path: string,
  handlers: Partial<Record<Method, Handler>>,
  errorForm: ErrorForm = problemOf,
): void {
  for (const method of Object.keys(handlers)) needsOf(method, path)
  const route = app.route(path)
  route.all((_req, res, next) => {
    res.locals.route = path
    res.locals.errorForm = errorForm
    next()
  })
  for (const [method, handler] of Object.entries(handlers))
    route[verbs[asMethod(method)]](async (req: Request, res: Response) => {
      send(res, await handler(callOf(req, res)))
    })
  const allow = Object.keys(handlers).flatMap((method) =>
    method === 'GET' ? ['GET', 'HEAD'] : method,
  )
  route.all(() => {
    throw new Refusal('method_not_allowed', `Use ${allow.join(', ')} here`, {
      headers: { allow: allow.join(', ') },
    })
  })
}

/** How errors are told under a folder, also those of paths that aren't there. */
export function errorsUnder(app: Express, folder: string, errorForm: ErrorForm): void {
  app.use(folder, (_req, res, next) => {
    res.locals.errorForm = errorForm
    next()
  })
}

/**
 * The last in line: turns whatever was thrown into an answer that links to the page of its code. Express knows it by its
 * four parameters.
 */
export function answerErrors(
  onError: (refused: Refused, res: Response) => void,
  pageOf: PageOf,
  limitGuesses: LimitGuesses,
) {
  return (error: unknown, req: Request, res: Response, _next: NextFunction): void => {
    const refusal = limitGuesses(refusalOf(error), req)
    const { code, cause = refusal } = refusal
    onError({ code, status: statusOf(refusal), error: cause }, res)
    res.locals.code = refusal.code
    if (res.headersSent) return void res.destroy()
    res.setHeader('link', helpLink(pageOf(refusal.code)))
    send(res, errorFormOf(res)(refusal, pageOf))
  }
}

/** Counts each answer under its path's template. */
export function countAnswers(metrics: Pick<AuthMetrics, 'answered'>) {
  return (req: Request, res: Response, next: NextFunction): void => {
    const startMs = performance.now()
    res.once('finish', () => {
      const route: unknown = res.locals.route
      const seconds = (performance.now() - startMs) / 1000
      metrics.answered({
        method: methods.has(req.method) ? req.method : 'other',
        route: typeof route === 'string' ? route : 'none',
        status: res.statusCode,
        seconds,
      })
    })
    next()
  }
}

/** Tells browsers which pages may see an answer, and answers their preflights. */
export function shareWith(cors: ReturnType<typeof createCors>) {
  return (req: Request, res: Response, next: NextFunction): void => {
    const origin = req.get('origin')
    if (origin === undefined) return next()
    const wantedMethod = req.get('access-control-request-method')
    const { headers, isPreflight } = cors({ method: req.method, origin, wantedMethod })
    res.set(headers)
    if (!isPreflight) return next()
    res.status(204).end()
  }
}

function send(res: Response, { status, body, headers }: Answer): void {
  res.statusCode = status
  res.setHeader('cache-control', 'no-store')
  res.setHeader('content-type', 'application/json; charset=utf-8')
  for (const [name, value] of Object.entries(headers ?? {})) res.setHeader(name, value)
  res.end(typeof body === 'string' ? body : `${JSON.stringify(body)}\n`)
}

function callOf(req: Request, res: Response): Call {
  return {
    param(name) {
      const value = req.params[name]
      return typeof value === 'string' ? value : ''
    },
    query(name) {
      const value = req.query[name]
      if (value === undefined || typeof value === 'string') return value
      throw invalid([`${name} must be there once`])
    },
    header: (name) => req.get(name),
    requestId: String(res.getHeader(requestIdHeader)),
    isFrom: (caller) => void (res.locals.caller = caller),
    async readBody(bytesMax = bodyBytesMax) {
      await new Promise<void>((resolve, reject) => {
        express.raw({ type: () => true, limit: bytesMax })(req, res, (error?: unknown) => {
          if (error === undefined) resolve()
          else reject(refusalOf(error))
        })
      })
      const body: unknown = req.body
      return Buffer.isBuffer(body) ? body : Buffer.alloc(0)
    },
  }
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS'])
const verbs = { GET: 'get', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const

/** Object.entries forgets that the keys were methods. */
const asMethod = (name: string): Method => name as Method

/** `res.locals` is anything; `mount` alone puts this there. */
const errorFormOf = (res: Response): ErrorForm =>
  (res.locals.errorForm as ErrorForm | undefined) ?? problemOf
