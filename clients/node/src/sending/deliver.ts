// Sends one request, and handles the outcome of each event: settles the event, returns it to the queue, or gives it up
// after its deadline. An event is `rejected` only if no attempt can have stored it.
import type { Trouble } from '../address.ts'
import { NoToken } from '../tokens.ts'
import type { Tokens } from '../tokens.ts'
import { RejectedError, UndeliveredError } from '../errors.ts'
import type { SendError } from '../errors.ts'
import type { EventBuffer } from './buffer.ts'
import type { Pending } from './pending.ts'
import type { Connection } from './connection.ts'
import type { Encoding } from './encode.ts'
import type { Gate } from './gate.ts'
import type { Retry } from './options.ts'
import { verdictOf } from './outcomes.ts'
import type { Outcome } from './outcomes.ts'
import { pauseMs } from '../retries.ts'

export type DeliverDeps = {
  readonly buffer: EventBuffer
  readonly gate: Gate
  readonly tokens: Tokens
  readonly connection: Connection
  readonly encoding: Encoding
  /** Each includes the path of ingest's address. */
  readonly paths: { readonly one: string; readonly many: string }
  readonly nowMs: () => number
  readonly random: () => number
  readonly onRetry: (retry: Retry) => void
  /** Puts the events back into the queue after this time. */
  readonly rest: (events: readonly Pending[], ms: number) => void
}

/** After two refused tokens, a third token would also be refused. */
const tokensRefusedMax = 2

export async function deliver(deps: DeliverDeps, batch: readonly Pending[]): Promise<void> {
  for (const pending of batch) pending.tries += 1
  let token: string
  try {
    token = await deps.tokens.get()
  } catch (error) {
    return withoutToken(deps, batch, error)
  }
  for (const pending of batch) if (pending.state === 'taken') pending.state = 'under_way'
  const answer = await deps.connection.request(requestOf(deps, batch, token))
  const { outcomes, isWhole } = verdictOf(answer, batch.length, deps.nowMs())
  const failed: Failed[] = []
  let hasStored = false
  for (const [at, pending] of batch.entries()) {
    const outcome = outcomes[at] ?? unknown
    if (outcome.kind === 'stored') {
      deps.buffer.settle(pending)
      hasStored = true
    } else if (outcome.kind === 'rejected') {
      deps.buffer.settle(pending, refusedOf(pending, outcome))
      hasStored ||= outcome.isOfEvent
    } else failed.push({ pending, outcome })
  }
  if (failed.some(({ outcome }) => outcome.kind === 'token')) deps.tokens.refused(token)
  if (hasStored || !isWhole) deps.gate.succeeded()
  if (failed.length > 0) sendAgain(deps, failed, isWhole)
}

/** The outcome of an event that the response does not mention. */
const unknown: Outcome = {
  kind: 'again',
  mayBeStored: true,
  isRate: false,
  afterMs: undefined,
  trouble: 'The answer does not mention the event.',
}

type Failed = {
  readonly pending: Pending
  readonly outcome: Exclude<Outcome, { kind: 'stored' | 'rejected' }>
}

function requestOf(deps: DeliverDeps, batch: readonly Pending[], token: string) {
  const { encoding, paths } = deps
  const [first] = batch
  const isOne = batch.length === 1 && first !== undefined
  const body = isOne ? first.bytes : encoding.join(batch.map(({ bytes }) => bytes))
  return {
    path: isOne ? paths.one : paths.many,
    body,
    headers: {
      authorization: `Bearer ${token}`,
      'svc-schema-id': encoding.schemaId,
      'content-type': isOne ? encoding.contentTypes.one : encoding.contentTypes.many,
      'content-length': body.length,
    },
  }
}

const refusedOf = (
  pending: Pending,
  { error, isOfEvent }: { error: RejectedError; isOfEvent: boolean },
): SendError =>
  pending.mayBeStored && !isOfEvent
    ? new UndeliveredError('refused_on_retry', error.message, { mayBeStored: true, cause: error })
    : error

function withoutToken(deps: DeliverDeps, batch: readonly Pending[], error: unknown): void {
  if (!(error instanceof NoToken)) {
    const refused =
      error instanceof RejectedError ? error : new RejectedError('refused', String(error))
    for (const pending of batch)
      deps.buffer.settle(pending, refusedOf(pending, { error: refused, isOfEvent: false }))
    return
  }
  const { message: trouble, retryAfterMs: afterMs, cause } = error
  const reason = { trouble, cause, afterMs }
  const outcome = { kind: 'again', mayBeStored: false, isRate: false, ...reason } as const
  sendAgain(
    deps,
    batch.map((pending) => ({ pending, outcome })),
    true,
  )
}

/**
 * The gate closes for all requests if the whole request failed, the token was refused, or events were sent too fast.
 * Otherwise only the failed events wait.
 */
function sendAgain(deps: DeliverDeps, failed: readonly Failed[], isWhole: boolean): void {
  const { buffer, gate } = deps
  const [first] = failed
  const kept = failed.filter(({ pending, outcome }) => keep(deps, pending, outcome))
  const events = kept.map(({ pending }) => pending)
  if (first === undefined) return
  const { outcome } = first
  const afterMs = outcome.kind === 'again' ? outcome.afterMs : undefined
  let waitMs: number
  if (failed.some((each) => each.outcome.kind === 'again' && each.outcome.isRate)) {
    waitMs = gate.slowDown(afterMs)
    buffer.queue.putBack(events)
  } else if (isWhole || outcome.kind === 'token') {
    waitMs = gate.failed(afterMs)
    buffer.queue.putBack(events)
  } else {
    for (const pending of events) pending.state = 'resting'
    waitMs = pauseMs(Math.max(...events.map(({ tries }) => tries), 1), afterMs, deps.random)
    deps.rest(events, waitMs)
  }
  if (events.length === 0) return
  const { trouble, cause }: Trouble =
    outcome.kind === 'again' ? outcome : { trouble: 'ingest refuses the token' }
  deps.onRetry({ trouble, cause, events: events.length, waitMs })
}

function keep(
  { buffer, nowMs }: DeliverDeps,
  pending: Pending,
  outcome: Failed['outcome'],
): boolean {
  if (outcome.kind === 'token') {
    pending.tokensRefused += 1
    if (pending.tokensRefused < tokensRefusedMax) return true
    const error = new RejectedError('invalid_token', outcome.message, 401)
    buffer.settle(pending, refusedOf(pending, { error, isOfEvent: false }))
    return false
  }
  pending.mayBeStored ||= outcome.mayBeStored
  if (nowMs() < pending.deadlineMs) return true
  buffer.settle(pending, lateOf(pending, outcome))
  return false
}

export const lateOf = ({ mayBeStored }: Pending, { trouble, cause }: Trouble): UndeliveredError =>
  new UndeliveredError('timed_out', `The event wasn't stored in time: ${trouble}`, {
    mayBeStored,
    cause,
  })
