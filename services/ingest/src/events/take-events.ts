// The path of many events in one request (docs/wire-format.md, Ingest). If the request has a fault, the whole request
// is refused. If an event has a fault, only this event is rejected. An event is accepted only after the broker has
// acknowledged it. The body is read only as fast as Kafka stores its events, so it may have any length.
import type { Event } from '@weir/contracts'
import type { HttpRequest, HttpResponse } from '@weir/http2'
import { hasCode } from '@weir/kit'
import {
  countOutcomes,
  mustPause,
  pause,
  refuseIfNoneIsStored,
  reject,
  settled,
  tell,
} from './batch.ts'
import type { EventBatch, EventsDeps } from './batch.ts'
import { createBatchAnswer } from './batch-answer.ts'
import { batchFormOf } from './batch-form.ts'
import { refusal, refusalOf } from '../errors.ts'
import type { FramedEvent } from './framing.ts'
import { gunzipped } from './gunzipped.ts'
import { checkInTurn } from '../event/check-event.ts'
import type { CheckedEvent } from '../event/check-event.ts'
import { beginsLikeArray, explainedPart, isLengthRight, NO_ARRAY } from '../event/explained.ts'
import {
  accessOf,
  encodingOf,
  inputOf,
  schemaIdOf,
  serializationTypeOf,
  single,
  tooLarge,
} from '../event/request.ts'

const headers = Object.freeze({ 'content-type': 'application/json' })

export async function takeEvents(deps: EventsDeps, request: HttpRequest): Promise<HttpResponse> {
  const batch = await begin(deps, request)
  const answering = answerTo(batch)
  const first = await answering.next()
  if (first.done) return { status: 200, headers, body: first.value }
  return { status: 200, headers, body: inPieces(first.value, answering) }
}

/** Checks the request like `takeEvent`, including the limits for the first event. */
async function begin(deps: EventsDeps, request: HttpRequest): Promise<EventBatch> {
  const stream = inputOf(await accessOf(deps, request)) // spec Authentication 2, 3
  try {
    deps.limits.admit(stream, deps.now()) // spec Limits
    const encoding = encodingOf(request)
    const schemaId = schemaIdOf(deps, request)
    const active = await deps.contractFor(stream.billingId, schemaId)
    const batchForm = batchFormOf({
      serializationType: serializationTypeOf(request),
      contentType: single(request, 'content-type'),
    })
    const answer = createBatchAnswer()
    const share = deps.backlog.open(stream.billingId)
    const made = { deps, request, schemaId, encoding, batchForm, answer, share, stream, active }
    const still = { refused: undefined, isArray: false, unavailable: undefined, nextIndex: 0 }
    return { ...made, ...still, outcomes: new Map() }
  } catch (error) {
    deps.limits.refused(stream, deps.now(), refusalOf(error).code)
    throw error
  }
}

/**
 * Yields parts of the response while the body is received, and returns the last part.
 * @throws AppError `unavailable`, `http2.aborted`
 */
async function* answerTo(batch: EventBatch): AsyncGenerator<Buffer, Buffer, void> {
  const { deps, request, encoding, batchForm, answer } = batch
  const framing = batchForm.createFraming(deps.eventBytesMax)
  const chunks = encoding === 'gzip' ? gunzipped(request.chunks()) : request.chunks()
  try {
    for await (const chunk of chunks) {
      await renew(batch)
      if (deps.longWork.isOver()) await deps.longWork.turnOf(batch.stream.billingId)
      yield* takeAll(batch, framing.push(chunk))
    }
    yield* takeAll(batch, framing.end())
  } catch (error) {
    if (!hasCode(error, 'undecodable')) throw error
    reject(batch, batch.nextIndex, error) // at the position where the body is no longer gzip
  } finally {
    void settled(batch).then(() => tell(batch)) // even if the client is gone
  }
  await settled(batch)
  refuseIfNoneIsStored(batch)
  return answer.end()
}

/**
 * Checks token, stream and contract again: receiving a body may take long, and changes must apply to the next events.
 */
async function renew(batch: EventBatch): Promise<void> {
  const { deps, request, schemaId } = batch
  try {
    batch.stream = inputOf(await accessOf(deps, request))
    batch.active = await deps.contractFor(batch.stream.billingId, schemaId)
    batch.refused = undefined
  } catch (error) {
    batch.refused = error
  }
}

async function* takeAll(batch: EventBatch, events: Iterable<FramedEvent>): AsyncGenerator<Buffer> {
  for (const framed of events) {
    const taking = take(batch, framed)
    if (taking !== undefined) await taking
    if (!mustPause(batch)) continue
    const rejected = await pause(batch)
    if (rejected !== undefined) yield rejected
  }
  tell(batch)
}

/** Processes one event, with the checks of `takeEvent` in the same order. */
function take(batch: EventBatch, framed: FramedEvent): void | Promise<void> {
  const { deps, stream, active } = batch
  const index = batch.nextIndex++
  const nowMs = deps.now()
  const refuse = (error: unknown): void => reject(batch, index, error)
  try {
    if (batch.refused !== undefined) return refuse(batch.refused)
    if (index > 0) deps.limits.admit(stream, nowMs) // spec Limits
    const event = read(batch, framed, index)
    const store = (key: string): void | Promise<void> =>
      storeCounted(batch, { stream, active, event, key, bytes: framed.length }, { index, nowMs })
    const key = checkInTurn(deps.longWork, stream.billingId, active.contract, event)
    return typeof key === 'string' ? store(key) : key.then(store).catch(refuse)
  } catch (error) {
    return refuse(error)
  }
}

/** A length in another byte order, a missing length, or an Avro container is read as a large length. */
const aboutLengths = `. The length before it says more; ${isLengthRight} An Avro container is not accepted.`

function read(batch: EventBatch, framed: FramedEvent, index: number): Event {
  const {
    deps,
    active,
    batchForm: { form },
  } = batch
  const advice = form === 'avro' ? aboutLengths : ''
  if (framed === 'too_large') throw tooLarge(deps, advice)
  if (framed === 'cut_off') throw refusal('undecodable', `The body ends within the event${advice}`)
  if (index === 0) batch.isArray = form === 'json' && beginsLikeArray(framed)
  if (batch.isArray) throw refusal('undecodable', NO_ARRAY)
  try {
    return form === 'json' ? active.contract.readJson(framed) : active.contract.skimAvro(framed)
  } catch (error) {
    throw explainedPart(error, framed, form)
  }
}

/** Counts the event for the month, and undoes this if the event is not stored. */
function storeCounted(
  batch: EventBatch,
  checked: CheckedEvent,
  { index, nowMs }: { index: number; nowMs: number },
): void | Promise<void> {
  const { deps, share, answer } = batch
  const { stream, bytes } = checked
  deps.limits.reserve(stream, nowMs, bytes)
  share.take(bytes)
  const waiter = {
    resolve() {
      share.give(bytes)
      answer.accepted += 1
      countOutcomes(batch, 'none')
    },
    reject(error: unknown) {
      share.give(bytes)
      deps.limits.release(stream, nowMs, bytes)
      reject(batch, index, error)
    },
  }
  return deps.store(checked, nowMs, waiter)
}

async function* inPieces(
  first: Buffer,
  answering: AsyncGenerator<Buffer, Buffer, void>,
): AsyncGenerator<Buffer, void, void> {
  yield first
  const last = yield* answering
  yield last
}
