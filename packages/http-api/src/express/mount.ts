// Connects handlers to Express. A path has a handler for each method that it supports. The error form of a path turns
// errors of its handlers into responses.
import express from 'express'
import type { Express, Request, Response } from 'express'
import type { Needs } from '@weir/control-state'
import { requestIdHeader } from '@weir/kit'
import { invalid, refuse } from '../refusal.ts'
import type { Method } from '@weir/docs'
import type { RouteAnswer, Call, ErrorForm, RouteHandler } from './answer.ts'
import { isStreamed, sendStreamed } from './stream-body.ts'
import { bodyBytesMax, refusalOfUnreadable } from './unreadable.ts'

export type MountOn = {
  readonly app: Express
  /** @throws Error for a route that isn't in the table of needs */
  readonly needsOf: (route: string) => Needs
}

/**
 * Serves a path. Requests with other methods get 405 and an `Allow` header. By default, errors are problem documents.
 */
export function mount(
  { app, needsOf }: MountOn,
  path: string,
  handlers: Partial<Record<Method, RouteHandler>>,
  errorForm?: ErrorForm,
): void {
  for (const method of Object.keys(handlers)) needsOf(`${method} ${path}`)
  const route = app.route(path)
  route.all((_req, res, next) => {
    res.locals.route = path
    res.locals.errorForm = errorForm
    next()
  })
  for (const [method, handler] of Object.entries(handlers))
    route[verbs[asMethod(method)]](async (req: Request, res: Response) => {
      const answer = await handler(callOf(req, res))
      if (isStreamed(answer.body)) await sendStreamed(res, answer, answer.body)
      else send(res, answer)
    })
  const allow = Object.keys(handlers)
    .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method))
    .join(', ')
  route.all(() => {
    throw refuse('method_not_allowed', `This path supports only ${allow}`, { headers: { allow } })
  })
}

/** Sets the form of errors for all paths under a folder, including unknown paths. */
export function errorsUnder(app: Express, folder: string, errorForm: ErrorForm): void {
  app.use(folder, (_req, res, next) => {
    res.locals.errorForm = errorForm
    next()
  })
}

export function send(res: Response, { status, body, headers }: RouteAnswer): void {
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
      throw invalid([`${name} must be present once`])
    },
    header: (name) => req.get(name),
    peer: { address: req.socket.remoteAddress, isEncrypted: req.secure },
    requestId: String(res.getHeader(requestIdHeader)),
    isFrom: (caller) => void (res.locals.caller = caller),
    readBody: (bytesMax = bodyBytesMax) => readBody(req, res, bytesMax),
  }
}

async function readBody(req: Request, res: Response, limit: number): Promise<Buffer> {
  await new Promise<void>((resolve, reject) => {
    express.raw({ type: () => true, limit })(req, res, (error?: unknown) => {
      if (error === undefined) resolve()
      else reject(refusalOfUnreadable(error) ?? error)
    })
  })
  const body: unknown = req.body
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0)
}

const verbs = {
  GET: 'get',
  POST: 'post',
  PUT: 'put',
  PATCH: 'patch',
  DELETE: 'delete',
} as const

/** Object.entries loses the type of the keys. */
const asMethod = (name: string): Method => name as Method
