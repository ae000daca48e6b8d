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
  return andThen(accessOf(deps, request), rethrow, (access) => {
    const stream = inputOf(access) // spec Authentication 2, 3
    const refuse = (error: unknown): never => {
      if (!hasCode(error, 'http2.aborted'))
        deps.limits.refused(stream, deps.now(), refusalOf(error).code)
      throw error
    }
    try {
      deps.limits.admit(stream, deps.now()) // spec Limits
      return takeFrom({ deps, request, stream, refuse })
    } catch (error) {
      return refuse(error)
    }
  })
}

type Answer = HttpResponse | Promise<HttpResponse>

type Taking = {
  readonly deps: IngestDeps
  readonly request: HttpRequest
  readonly stream: InputStream
  /** Counts the refusal, and throws the error again. */
  readonly refuse: (error: unknown) => never
}

function takeFrom(taking: Taking): Answer {
  const { deps, request, stream, refuse } = taking
  return andThen(bodyOf(deps, request), refuse, (body) => {
    const active = deps.contractFor(stream.billingId, schemaIdOf(deps, request))
    return andThen(active, refuse, (found) => takeBody(taking, found, body))
  })
}

function takeBody(taking: Taking, active: ActiveContract, body: Body): Answer {
  const { deps, request, stream, refuse } = taking
  const event = readEvent(active.contract, request, body)
  const bytes = body?.length ?? 0
  const checking = checkInTurn(deps.longWork, stream.billingId, active.contract, event)
  // 204 only after the broker's acknowledgement
  return andThen(checking, refuse, (key) =>
    storeCounted(deps, { stream, active, event, key, bytes }),
  )
}

/**
 * Calls `use` synchronously if the value is available, because an await would cost each event more than its checks.
 * Calls `refuse` with an error of the promise, or of `use` after it. The caller catches errors of a synchronous call.
 */
function andThen<Value, Result>(
  value: Value | Promise<Value>,
  refuse: (error: unknown) => never,
  use: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  if (!(value instanceof Promise)) return use(value)
  return value.then((resolved) => {
    try {
      return use(resolved)
    } catch (error) {
      return refuse(error)
    }
  }, refuse)
}

const rethrow = (error: unknown): never => {
  throw error
}

function storeCounted(deps: IngestDeps, checked: CheckedEvent): Promise<HttpResponse> {
  const { stream, bytes } = checked
  const nowMs = deps.now()
  deps.limits.reserve(stream, nowMs, bytes)
  const { promise, waiter } = outcomeOf(deps, { stream, nowMs, bytes })
  void deps.store(checked, nowMs, waiter)
  return promise
}

/** Keeps no reference to the event, so that its memory can be freed while Kafka stores the record. */
function outcomeOf(
  { limits, now }: IngestDeps,
  { stream, nowMs, bytes }: { stream: InputStream; nowMs: number; bytes: number },
): { promise: Promise<HttpResponse>; waiter: Waiter } {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>()
  return {
    promise,
    waiter: {
      resolve: () => resolve(accepted),
      reject(error) {
        limits.release(stream, nowMs, bytes)
        limits.refused(stream, now(), refusalOf(error).code)
        reject(error)
      },
    },
  }
}
