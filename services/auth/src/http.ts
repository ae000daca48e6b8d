// The seam to Express: a handler takes a request and returns an answer, a path takes a handler for
// each method it knows. What a handler throws goes on to the error form of its path. Express is seen
// here and in routes.ts alone.
import express from 'express'
import type { Express, NextFunction, Request, Response } from 'express'
import { problemOf, Refusal, refusalOf } from './errors.ts'
import type { AuthMetrics } from './metrics.ts'

export type Answer = {
  readonly status: number
  /** Sent as JSON; a string as it is, under the content type among the headers. */
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export type Call = {
  /** Decoded segments of the path. */
  param(name: string): string
  query(name: string): string | undefined
  header(name: string): string | undefined
  /** @throws Refusal `too_large`, `unsupported_encoding`, `invalid_request` */
  readBody(): Promise<Buffer>
}

export type Handler = (call: Call) => Answer | Promise<Answer>
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
export type ErrorForm = (refusal: Refusal) => Answer

const bodyBytesMax = 1_048_576
const readRaw = express.raw({ type: () => true, limit: bodyBytesMax })

/** Answers a path. Methods without a handler get 405 and an `Allow` header. */
export function mount(
  app: Express,
  path: string,
  handlers: Partial<Record<Method, Handler>>,
  errorForm: ErrorForm = problemOf,
): void {
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

/** The last in line: turns whatever was thrown into an answer. Express knows it by its four parameters. */
export function answerErrors(onError: (refusal: Refusal) => void) {
  return (error: unknown, _req: Request, res: Response, _next: NextFunction): void => {
    const refusal = refusalOf(error)
    onError(refusal)
    res.locals.code = refusal.code
    if (res.headersSent) return void res.destroy()
    send(res, errorFormOf(res)(refusal))
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
      return typeof value === 'string' ? value : undefined
    },
    header: (name) => req.get(name),
    async readBody() {
      await new Promise<void>((resolve, reject) => {
        readRaw(req, res, (error?: unknown) => {
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
