// The paths of ingest, exact, and the only place where a refusal becomes a response.
import type { HttpRequest, HttpResponse } from '@weir/http2'
import { hasCode, requestIdHeader, requestIdOf } from '@weir/kit'
import type { Fault, PageOf } from '@weir/kit'
import type { Tracing } from '@weir/trace'
import type { EventsDeps } from './events/batch.ts'
import { createAnswerOf, refusal, refusalOf } from './errors.ts'
import { takeEvents } from './events/take-events.ts'
import { takeEvent } from './event/take-event.ts'
import type { IngestMetrics } from './metrics.ts'
import { traceparentOf, traceTakers } from './event/traced.ts'
import type { Take, Takers } from './event/traced.ts'

export type RoutesDeps = Omit<EventsDeps, 'countEvents'> & {
  metrics: IngestMetrics
  /** Milliseconds since an arbitrary time. */
  elapsed: () => number
  /** Called for refusals caused by a fault of ours. */
  onFault: (fault: Fault) => void
  /** The page that explains a code. */
  pageOf: PageOf
  /** Undefined without tracing. */
  tracing?: Tracing | undefined
  /** The prefix of topic names, for traces. */
  kafkaPrefix: string
}

/** Every path, with the function that takes its POST requests. */
export function takersOf(deps: RoutesDeps): Takers {
  const eventsDeps: EventsDeps = { ...deps, countEvents: deps.metrics.events }
  return new Map<string, Take>([
    ['/event', (request) => takeEvent(deps, request)],
    ['/events', (request) => takeEvents(eventsDeps, request)],
  ])
}

export function createRoutes(deps: RoutesDeps) {
  const { tracing, store } = deps
  const answerOf = createAnswerOf(deps.pageOf)
  const takers =
    tracing === undefined
      ? takersOf(deps)
      : traceTakers({ tracing, kafkaPrefix: deps.kafkaPrefix }, store, (own) =>
          takersOf({ ...deps, store: own }),
        )

  const refuse = (request: HttpRequest, error: unknown, startedAt: number): HttpResponse => {
    const refused = refusalOf(error)
    const answer = answerOf(refused)
    deps.metrics.answered(answer.status, refused.code, deps.elapsed() - startedAt)
    if (answer.status < 500) return answer
    const requestId = requestIdOf(traceparentOf(request))
    const { code } = refused
    const route = takers.has(request.path) ? request.path : 'none'
    deps.onFault({ requestId, code, status: answer.status, route, err: refused.cause ?? refused })
    return { ...answer, headers: { ...answer.headers, [requestIdHeader]: requestId } }
  }

  return (request: HttpRequest): HttpResponse | Promise<HttpResponse> => {
    const startedAt = deps.elapsed()
    const onAnswer = (answer: HttpResponse): HttpResponse => {
      deps.metrics.answered(answer.status, 'none', deps.elapsed() - startedAt)
      return answer
    }
    const onError = (error: unknown): HttpResponse => {
      if (hasCode(error, 'http2.aborted')) throw error // the client is gone: no response is possible
      return refuse(request, error, startedAt)
    }
    try {
      const answer = route(takers, request)
      return answer instanceof Promise ? answer.then(onAnswer, onError) : onAnswer(answer)
    } catch (error) {
      return onError(error)
    }
  }
}

function route(takers: Takers, request: HttpRequest): HttpResponse | Promise<HttpResponse> {
  const take = takers.get(request.path)
  if (take === undefined)
    throw refusal('not_found', 'There is nothing here; events are sent by POST /event or /events')
  if (request.method !== 'POST') throw refusal('method_not_allowed', 'Events are sent by POST')
  return take(request)
}
