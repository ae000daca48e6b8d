// The seam to Express: a handler takes a request and returns an answer, a path takes a handler for each method it
// knows, and what a handler throws becomes a problem document. Express is seen here and in routes.ts alone.
import express from 'express'
import type { Express, NextFunction, Request, Response } from 'express'
import {
  countJsonMembers,
  helpLink,
  jsonDepthMax,
  requestIdHeader,
  tooManyGuesses,
} from '@weir/kit'
import type { Guesses, PageOf, Refused } from '@weir/kit'
import { bearerOf, isRole } from '@weir/control-state'
import type { Needs, Role } from '@weir/control-state'
import type { AccountCall, Callers } from './callers.ts'
import { problemOf, Refusal, refusalOf, statusOf } from '../errors.ts'
import { needsOf } from './route-needs.ts'
import type { Route, RouteNeedsOfOutput } from './route-needs.ts'

export type Answer = {
  readonly status: number
  /** Sent as JSON; a string as it is, under the content type among the headers. */
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export type Call = {
  /** A decoded segment of the path. */
  param(name: string): string
  readonly authorization: string | undefined
  readonly requestId: string
  /** Whose call it is, for the log. */
  isFrom(caller: string): void
  /** @throws Refusal `not_json`, or what the body reader throws */
  readJson(): Promise<unknown>
}

export type Handler = (call: Call) => Promise<Answer>
/** For a route that asks for a role: who calls has it. */
export type AccountHandler = (call: AccountCall) => Promise<Answer>
type HandlerOf<Of extends Route> = RouteNeedsOfOutput[Of] extends Role ? AccountHandler : Handler

const readRaw = express.raw({ type: () => true, limit: 65_536 })
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Answers a route of the table to those whom it names; other methods get 405 and an `Allow` header. */
export function mount<Of extends Route>(
  { app, callers }: { readonly app: Express; readonly callers: Pick<Callers, 'withRole'> },
  of: Of,
  handler: HandlerOf<Of>,
): void {
  const [method = '', path = ''] = of.split(' ')
  const needs = needsOf(of)
  const route = app.route(path)
  route.all((_req, res, next) => {
    res.locals.route = path
    next()
  })
  route[method === 'GET' ? 'get' : 'post'](async (req: Request, res: Response) => {
    const call = callOf(req, res)
    send(res, await answerTo(handler, { call, needs, callers }))
  })
  const allow = method === 'GET' ? 'GET, HEAD' : method
  route.all(() => {
    throw new Refusal('method_not_allowed', `Use ${allow} here`, { headers: { allow } })
  })
}

type Asked = {
  readonly call: Call
  readonly needs: Needs
  readonly callers: Pick<Callers, 'withRole'>
}

async function answerTo(handler: AccountHandler, { call, needs, callers }: Asked): Promise<Answer> {
  if (!isRole(needs)) return asOpen(handler)(call)
  return handler({ ...call, caller: await callers.withRole(call, needs) })
}

/** The table types a handler by what its route needs, which is what `answerTo` goes by, too. */
const asOpen = (handler: AccountHandler): Handler => handler as unknown as Handler

/** The last in line: turns whatever was thrown into an answer. Express knows it by its four parameters. */
export function answerErrors(
  onError: (refused: Refused, res: Response) => void,
  pageOf: PageOf,
  guesses: Guesses,
) {
  return (error: unknown, req: Request, res: Response, _next: NextFunction): void => {
    const refusal = limitGuesses(guesses, refusalOf(error), req)
    const { code, cause = refusal } = refusal
    onError({ code, status: statusOf(refusal), error: cause }, res)
    res.locals.code = refusal.code
    if (res.headersSent) return void res.destroy()
    res.setHeader('link', helpLink(pageOf(refusal.code)))
    send(res, problemOf(refusal, pageOf))
  }
}

/** Wrong API keys, and those alone, may be guesses. */
function limitGuesses(guesses: Guesses, refusal: Refusal, req: Request): Refusal {
  const key = refusal.code === 'invalid_api_key' ? bearerOf(req.get('authorization')) : undefined
  const waitSeconds = key === undefined ? undefined : guesses.count(req, key)
  if (waitSeconds === undefined) return refusal
  const headers = { 'retry-after': String(waitSeconds) }
  return new Refusal('too_many_failures', tooManyGuesses, { headers })
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
    authorization: req.get('authorization'),
    requestId: String(res.getHeader(requestIdHeader)),
    isFrom: (caller) => void (res.locals.caller = caller),
    readJson: async () => parse(await readBody(req, res)),
  }
}

async function readBody(req: Request, res: Response): Promise<Buffer> {
  await new Promise<void>((resolve, reject) => {
    readRaw(req, res, (error?: unknown) => {
      if (error === undefined) resolve()
      else reject(refusalOf(error))
    })
  })
  const body: unknown = req.body
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0)
}

function parse(body: Buffer): unknown {
  if (countJsonMembers(body) === undefined)
    throw new Refusal('not_json', `The body is nested deeper than ${jsonDepthMax} levels`)
  try {
    return JSON.parse(utf8.decode(body))
  } catch (cause) {
    throw new Refusal('not_json', 'The body is not JSON in UTF-8', { cause })
  }
}
