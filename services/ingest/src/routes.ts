// Passes each request to the handler of its exact path, and counts the responses.
import type { Handler, HttpRequest, HttpResponse } from '@weir/http2'
import { hasCode, requestIdHeader, requestIdOf } from '@weir/kit'
import type { Fault, PageOf } from '@weir/kit'
import type { EventsDeps } from './events/batch.ts'
import { createAnswerOf, refusal, refusalOf } from './errors.ts'
import type { AnswerOf } from './errors.ts'
import { takeEvents } from './events/take-events.ts'
import { takeEvent } from './event/take-event.ts'
import type { IngestMetrics } from './metrics.ts'
import { traceparentOf, traceTakers } from './event/traced.ts'
import type { Takers, Traces } from './event/traced.ts'
import type { Store } from './event/store.ts'

export type RoutesDeps = EventsDeps & {
  metrics: IngestMetrics
  /** Milliseconds since an arbitrary time. */
  elapsed: () => number
  /** Called for refusals with a 5xx status. */
  onFault: (fault: Fault) => void
  /** Returns the URL of an error code's page. */
  pageOf: PageOf
  /** Undefined without tracing. */
  traces: Traces | undefined
}

type Routes = RoutesDeps & { takers: Takers; answerOf: AnswerOf }

export function createRoutes(deps: RoutesDeps): Handler {
  const takersWith = (store: Store): Takers => takersOf({ ...deps, store })
  const { traces, store } = deps
  const takers = traces === undefined ? takersWith(store) : traceTakers(traces, store, takersWith)
  const routes = { ...deps, takers, answerOf: createAnswerOf(deps.pageOf) }
  return (request) => respond(routes, request)
}

/** Returns every path with the handler of its POST requests. */
export const takersOf = (deps: EventsDeps): Takers =>
  new Map<string, Handler>([
    ['/event', (request) => takeEvent(deps, request)],
    ['/events', (request) => takeEvents(deps, request)],
  ])

function respond(routes: Routes, request: HttpRequest): ReturnType<Handler> {
  const startedAt = routes.elapsed()
  const onAnswer = (answer: HttpResponse): HttpResponse => {
    routes.metrics.answered(answer.status, 'none', routes.elapsed() - startedAt)
    return answer
  }
  const onError = (error: unknown): HttpResponse => refuse(routes, request, error, startedAt)
  try {
    const answer = route(routes.takers, request)
    return answer instanceof Promise ? answer.then(onAnswer, onError) : onAnswer(answer)
  } catch (error) {
    return onError(error)
  }
}

function refuse(routes: Routes, request: HttpRequest, error: unknown, startedAt: number) {
  if (hasCode(error, 'http2.aborted')) throw error // the client is gone: no response is possible
  const refused = refusalOf(error)
  const { code, cause } = refused
  const answer = routes.answerOf(refused)
  const { status, headers } = answer
  routes.metrics.answered(status, code, routes.elapsed() - startedAt)
  if (status < 500) return answer
  const requestId = requestIdOf(traceparentOf(request))
  const route = routes.takers.has(request.path) ? request.path : 'none'
  routes.onFault({ requestId, code, status, route, err: cause ?? refused })
  return { ...answer, headers: { ...headers, [requestIdHeader]: requestId } }
}

function route(takers: Takers, request: HttpRequest): ReturnType<Handler> {
  const take = takers.get(request.path)
  if (take === undefined)
    throw refusal('not_found', 'There is nothing here; events are sent by POST /event or /events')
  if (request.method !== 'POST') throw refusal('method_not_allowed', 'Events are sent by POST')
  return take(request)
}
