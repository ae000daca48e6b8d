// The paths of ingest, exact, and the one place where a refusal becomes an answer.
import type { HttpRequest, HttpResponse } from '@weir/http2'
import { hasCode } from '@weir/kit'
import type { EventsDeps } from './batch.ts'
import { answerOf, refusal, refusalOf } from './errors.ts'
import { takeEvents } from './events.ts'
import { ingest } from './ingest.ts'
import type { IngestMetrics } from './metrics.ts'

export type RoutesDeps = Omit<EventsDeps, 'countEvents'> & {
  metrics: IngestMetrics
  /** Milliseconds since some time. */
  elapsed: () => number
}

export function createRoutes(deps: RoutesDeps) {
  const eventsDeps: EventsDeps = { ...deps, countEvents: deps.metrics.events }

  const refuse = (error: unknown, startedAt: number): HttpResponse => {
    const refused = refusalOf(error)
    if (refused.code === 'internal') deps.onInternal(error)
    const answer = answerOf(refused)
    deps.metrics.answered(answer.status, refused.code, deps.elapsed() - startedAt)
    return answer
  }

  const route = (request: HttpRequest): HttpResponse | Promise<HttpResponse> => {
    const isBatch = request.path === '/events'
    if (request.path !== '/event' && !isBatch)
      throw refusal('not_found', 'There is nothing here; events are sent by POST /event or /events')
    if (request.method !== 'POST') throw refusal('method_not_allowed', 'Events are sent by POST')
    return isBatch ? takeEvents(eventsDeps, request) : ingest(deps, request)
  }

  return (request: HttpRequest): HttpResponse | Promise<HttpResponse> => {
    const startedAt = deps.elapsed()
    const onAnswer = (answer: HttpResponse): HttpResponse => {
      deps.metrics.answered(answer.status, 'none', deps.elapsed() - startedAt)
      return answer
    }
    const onError = (error: unknown): HttpResponse => {
      if (hasCode(error, 'aborted')) throw error // the client is gone: nobody to answer
      return refuse(error, startedAt)
    }
    try {
      const answer = route(request)
      return answer instanceof Promise ? answer.then(onAnswer, onError) : onAnswer(answer)
    } catch (error) {
      return onError(error)
    }
  }
}
