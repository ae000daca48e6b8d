// The path of one event, from the request to 204 (docs/wire-format.md Ingest). The first check that fails determines
// the response. An event is accepted only after the broker has acknowledged it:
//
//   access     the token, and its stream (request.ts)
//   limits     the stream's rate and its events of the month (../limits)
//   read       the body, by the contract that the request names (check-event.ts)
//   wait       for a turn, if checking or encrypting takes long (long-work.ts)
//   check      key field, consent levels, validations (check-event.ts)
//   store      personal fields encrypted, stamped, produced (store.ts)
import type { HttpRequest, HttpResponse } from '@weir/http2'
import type { Waiter } from '@weir/kafka'
import { hasCode } from '@weir/kit'
import type { InputStream } from '@weir/control-state'
import type { ActiveContract } from './active-contracts.ts'
import { checkInTurn, readEvent } from './check-event.ts'
import type { CheckedEvent } from './check-event.ts'
import { refusalOf } from '../errors.ts'
import type { StreamLimits } from '../limits/limits.ts'
import type { LongWork } from './long-work.ts'
import { accessOf, bodyOf, inputOf, schemaIdOf } from './request.ts'
import type { Body, RequestDeps } from './request.ts'
import type { Store } from './store.ts'

export type IngestDeps = RequestDeps & {
  limits: StreamLimits
  contractFor: (billingId: string, schemaId: string) => ActiveContract | Promise<ActiveContract>
  longWork: LongWork
  store: Store
  now: () => number
}

const accepted: HttpResponse = Object.freeze({ status: 204 })

/** Processes one event. Most events wait only for the broker. */
export function takeEvent(deps: IngestDeps, request: HttpRequest): Answer {
  return andThen(accessOf(deps, request), (access) => {
    const stream = inputOf(access) // spec Authentication 2, 3
    return countRefusals(deps, stream, () => {
      deps.limits.admit(stream, deps.now()) // spec Limits
      return andThen(bodyOf(deps, request), (body) => takeBody(deps, request, stream, body))
    })
  })
}

function takeBody(deps: IngestDeps, request: HttpRequest, stream: InputStream, body: Body): Answer {
  return andThen(deps.contractFor(stream.billingId, schemaIdOf(deps, request)), (active) => {
    const event = readEvent(active.contract, request, body)
    const bytes = body?.length ?? 0
    const checking = checkInTurn(deps.longWork, stream.billingId, active.contract, event)
    // 204 only after the broker's acknowledgement
    return andThen(checking, (key) => storeCounted(deps, { stream, active, event, key, bytes }))
  })
}

type Answer = HttpResponse | Promise<HttpResponse>

/** Calls `use` synchronously if the value is available, because an await would cost each event more than its checks. */
function andThen<Value, Result>(
  value: Value | Promise<Value>,
  use: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(use) : use(value)
}

function countRefusals(deps: IngestDeps, stream: InputStream, take: () => Answer): Answer {
  const refuse = (error: unknown): never => {
    if (!hasCode(error, 'http2.aborted'))
      deps.limits.refused(stream, deps.now(), refusalOf(error).code)
    throw error
  }
  try {
    const answer = take()
    return answer instanceof Promise ? answer.catch(refuse) : answer
  } catch (error) {
    return refuse(error)
  }
}

function storeCounted(deps: IngestDeps, checked: CheckedEvent): Promise<HttpResponse> {
  const { stream, bytes } = checked
  const nowMs = deps.now()
  deps.limits.reserve(stream, nowMs, bytes)
  const { promise, waiter } = outcomeOf(deps.limits, { stream, nowMs, bytes })
  void deps.store(checked, nowMs, waiter)
  return promise
}

/** Keeps no reference to the event, so that its memory can be freed while Kafka stores the record. */
function outcomeOf(
  limits: StreamLimits,
  { stream, nowMs, bytes }: { stream: InputStream; nowMs: number; bytes: number },
): { promise: Promise<HttpResponse>; waiter: Waiter } {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>()
  return {
    promise,
    waiter: {
      resolve: () => resolve(accepted),
      reject(error) {
        limits.release(stream, nowMs, bytes)
        reject(error)
      },
    },
  }
}
