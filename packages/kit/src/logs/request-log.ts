// Logs management requests: each call, and each failure that the service caused, under the id that its client gets in
// `Svc-Request-Id`. It logs the path's template and the account's id, but no other text of a client. It reads
// members of a response's `locals` that the services' routers set: `route`, `caller`, `code`.
import type { IncomingMessage, ServerResponse } from 'node:http'

import { createFaultLog } from './fault-log.ts'
import type { Log } from './log.ts'
import { requestIdHeader, requestIdOf } from './request-id.ts'

type Answer = ServerResponse & { readonly locals: Readonly<Record<string, unknown>> }

const management = /^\/v\d+\//

/** Gives every request its id, and logs management calls after their response. */
export function nameRequests(log: Log) {
  return (req: IncomingMessage, res: Answer, next: () => void): void => {
    const startMs = performance.now()
    const { traceparent } = req.headers
    const requestId = requestIdOf(typeof traceparent === 'string' ? traceparent : undefined)
    res.setHeader(requestIdHeader, requestId)
    res.once('finish', () => {
      const route = localOf(res, 'route')
      if (route === undefined || !management.test(route)) return
      const what = { method: req.method, route, status: res.statusCode, code: localOf(res, 'code') }
      const ms = Math.round(performance.now() - startMs)
      log.info({ requestId, caller: localOf(res, 'caller'), ...what, ms }, 'a management request')
    })
    next()
  }
}

export type RefusedRequest = {
  readonly code: string
  readonly status: number
  readonly error: unknown
}

/** Logs faults of the service. Other refusals are only for the client. */
export function tellFaults(log: Log): (refused: RefusedRequest, res: Answer) => void {
  const tell = createFaultLog(log)
  return ({ code, status, error }, res) => {
    if (status < 500) return
    const requestId = String(res.getHeader(requestIdHeader))
    tell({ requestId, code, status, route: localOf(res, 'route') ?? 'none', err: error })
  }
}

function localOf({ locals }: Answer, name: string): string | undefined {
  const value = locals[name]
  return typeof value === 'string' ? value : undefined
}
