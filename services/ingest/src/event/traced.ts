// Creates spans for traced requests and their records. Untraced requests take the normal path. A span names streams,
// contracts and codes, never the content of an event.
import type { Handler, HttpRequest, HttpResponse } from '@weir/http2'
import type { Waiter } from '@weir/kafka'
import { hasCode } from '@weir/kit'
import { topicOf } from '@weir/control-state'
import type { Span, Tracing } from '@weir/trace'
import { refusalOf, statusOf } from '../errors.ts'
import type { CheckedEvent } from './check-event.ts'
import type { Store } from './store.ts'

export type Takers = ReadonlyMap<string, Handler>
export type Traces = { readonly tracing: Tracing; readonly kafkaPrefix: string }

/**
 * Returns handlers that trace requests. `takersWith` creates the handlers for a store: each traced request has a store
 * of its own.
 */
export function traceTakers(traces: Traces, store: Store, takersWith: (store: Store) => Takers) {
  const { tracing } = traces
  const untraced = takersWith(store)
  const traced = (path: string, plainly: Handler): Handler => {
    return (request) => {
      const span = tracing.begin({
        name: `POST ${path}`,
        kind: 'server',
        parent: traceparentOf(request),
        attributes: { 'http.request.method': 'POST', 'http.route': path },
      })
      if (span === undefined) return plainly(request)
      const take = takersWith(storeOf(traces, store, span)).get(path) ?? plainly
      return answered(span, () => take(request))
    }
  }
  return new Map([...untraced].map(([path, take]) => [path, traced(path, take)]))
}

/** Returns undefined unless there is exactly one traceparent header. */
export const traceparentOf = (request: HttpRequest): string | undefined =>
  request.headerCount('traceparent') === 1 ? request.header('traceparent') : undefined

function answered(span: Span, take: () => ReturnType<Handler>): ReturnType<Handler> {
  const onAnswer = (answer: HttpResponse): HttpResponse => {
    span.tell({ 'http.response.status_code': answer.status })
    span.end()
    return answer
  }
  const onError = (error: unknown): never => {
    endRefused(span, error)
    throw error
  }
  try {
    const answer = take()
    return answer instanceof Promise ? answer.then(onAnswer, onError) : onAnswer(answer)
  } catch (error) {
    return onError(error)
  }
}

function endRefused(span: Span, error: unknown): void {
  if (hasCode(error, 'http2.aborted')) return span.end('aborted')
  const { code } = refusalOf(error)
  const status = statusOf(code)
  span.tell({ 'http.response.status_code': status, 'svc.error': code })
  span.end(status >= 500 ? code : undefined)
}

/** Creates a span for each record. The spans of derived records refer to this span. */
function storeOf({ tracing, kafkaPrefix }: Traces, store: Store, request: Span): Store {
  return (checked, nowMs, waiter) => {
    const names = namesOf(checked)
    request.tell(names)
    const span = tracing.begin({
      name: `send ${names['weir.stream']}`,
      kind: 'producer',
      parent: request.traceparent,
      attributes: {
        ...names,
        'messaging.system': 'kafka',
        'messaging.operation.type': 'send',
        'messaging.destination.name': kafkaPrefix + names['weir.stream'],
      },
    })
    if (span === undefined) return store(checked, nowMs, waiter)
    return store(checked, nowMs, ending(span, waiter), span.traceparent)
  }
}

const namesOf = ({ stream, active }: CheckedEvent) => ({
  'weir.stream': topicOf(stream),
  'weir.contract': active.contract.id,
})

const ending = (span: Span, waiter: Waiter): Waiter => ({
  resolve() {
    span.end()
    waiter.resolve()
  },
  reject(error) {
    span.end(refusalOf(error).code)
    waiter.reject(error)
  },
})
