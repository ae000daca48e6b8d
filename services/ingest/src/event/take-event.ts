// The way of one event, from the request to 204 (spec Events; docs/wire-format.md Ingest): the first
// check that fails answers, and only what the broker has acknowledged is accepted.
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { bodyForm } from '@weir/contracts'
import type { Contract, Event } from '@weir/contracts'
import type { HttpRequest, HttpResponse } from '@weir/http2'
import type { Waiter } from '@weir/kafka'
import { hasCode } from '@weir/kit'
import type { Access, InputStream } from '@weir/control-state'
import type { ActiveContract } from './active-contracts.ts'
import { refusal, refusalOf } from '../errors.ts'
import type { StreamLimits } from '../limits/limits.ts'
import type { LongWork } from './long-work.ts'

/** An event that passed every check. */
export type CheckedEvent = {
  readonly stream: InputStream
  readonly active: ActiveContract
  readonly event: Event
  /** The value of the contract's key field. */
  readonly key: string
  /** Of its body, decompressed. */
  readonly bytes: number
}

export type IngestDeps = {
  /** Whose token it is. @throws AppError `invalid_token` */
  access: (authorization: string | undefined) => Access | Promise<Access>
  /** False while revocations may be missing. */
  isFresh: () => boolean
  limits: StreamLimits
  contractFor: (billingId: string, schemaId: string) => ActiveContract | Promise<ActiveContract>
  longWork: LongWork
  /**
   * Seals the event's PII in place, stamps it and hands it over to Kafka; the waiter hears once what became of
   * it. In order, if no call is made before the promise of the one before has resolved. What it throws has not
   * been sent. With a traceparent the record has it as a header.
   */
  store: (
    checked: CheckedEvent,
    nowMs: number,
    waiter: Waiter,
    traceparent?: string,
  ) => void | Promise<void>
  now: () => number
  eventBytesMax: number
  schemaIdHeaders: readonly string[]
}

const accepted: HttpResponse = Object.freeze({ status: 204 })
const decompress = promisify(gunzip)

/** The way of one event. Nothing is waited for that is there already: of most events, nothing but the broker. */
export function takeEvent(deps: IngestDeps, request: HttpRequest): Answer {
  return andThen(accessOf(deps, request), (access) => {
    const stream = inputOf(access) // spec Authentication 2, 3
    return countRefusals(deps, stream, () => {
      deps.limits.admit(stream, deps.now()) // spec Limits
      return andThen(bodyOf(deps, request), (body) =>
        andThen(deps.contractFor(stream.billingId, schemaIdOf(deps, request)), (active) => {
          const event = read(active.contract, request, body)
          const steps = active.contract.validationSteps(event)
          return andThen(deps.longWork.turnFor(stream.billingId, steps), () => {
            const key = check(active.contract, event, steps)
            const bytes = body?.length ?? 0
            return storeCounted(deps, { stream, active, event, key, bytes }) // 204 only after the broker's acknowledgement
          })
        }),
      )
    })
  })
}

type Answer = HttpResponse | Promise<HttpResponse>

/** At once with what is there at once: an await would cost each event more than its checks. */
function andThen<Value, Result>(
  value: Value | Promise<Value>,
  use: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(use) : use(value)
}

/** For the stream's usage. */
function countRefusals(deps: IngestDeps, stream: InputStream, take: () => Answer): Answer {
  const refuse = (error: unknown): never => {
    if (!hasCode(error, 'aborted')) deps.limits.refused(stream, deps.now(), refusalOf(error).code)
    throw error
  }
  try {
    const answer = take()
    return answer instanceof Promise ? answer.catch(refuse) : answer
  } catch (error) {
    return refuse(error)
  }
}

export function accessOf(deps: IngestDeps, request: HttpRequest): Access | Promise<Access> {
  if (!deps.isFresh())
    throw refusal(
      'unavailable',
      'The service cannot check at the moment whether tokens were revoked; try again',
    )
  if (request.headerCount('authorization') > 1)
    throw refusal('invalid_token', 'There are several Authorization headers; send one')
  return deps.access(request.header('authorization'))
}

export function inputOf({ stream, scope }: Access): InputStream {
  if (stream.kind !== 'input')
    throw refusal(
      'not_an_input_stream',
      `${stream.name} is a derived stream: events are sent with a token of its input stream`,
    )
  if (!scope.includes('send'))
    throw refusal(
      'scope_missing',
      'These credentials are for listening; sending needs the scope send',
    )
  if (!stream.enabled) throw refusal('stream_disabled', `The stream ${stream.name} is disabled`)
  return stream
}

export function encodingOf(request: HttpRequest): 'identity' | 'gzip' {
  const encoding = single(request, 'content-encoding')?.trim().toLowerCase() || 'identity'
  if (encoding !== 'identity' && encoding !== 'gzip')
    throw refusal('unsupported_encoding', 'Send the event as it is or with Content-Encoding: gzip')
  return encoding
}

type Body = Buffer | undefined

/** Undefined when it isn't what its content encoding says. */
function bodyOf(deps: IngestDeps, request: HttpRequest): Body | Promise<Body> {
  const encoding = encodingOf(request)
  const body = request.body(deps.eventBytesMax)
  if (body instanceof Promise || encoding !== 'identity') return bodyIn(deps, encoding, body)
  if (body === undefined) throw tooLarge(deps)
  return body
}

async function bodyIn(
  deps: IngestDeps,
  encoding: 'identity' | 'gzip',
  reading: Body | Promise<Body>,
): Promise<Body> {
  const body = await reading
  if (body === undefined) throw tooLarge(deps)
  if (encoding === 'identity') return body
  try {
    return await decompress(body, { maxOutputLength: deps.eventBytesMax })
  } catch (error) {
    if (isTooLong(error)) throw tooLarge(deps)
    return undefined
  }
}

export function schemaIdOf(deps: IngestDeps, request: HttpRequest): string {
  for (const name of deps.schemaIdHeaders) {
    const id = single(request, name)?.trim()
    if (id !== undefined && id !== '') return id
  }
  throw refusal('schema_id_missing', 'Name the contract of the event in the header Svc-Schema-Id')
}

function read(contract: Contract, request: HttpRequest, body: Buffer | undefined): Event {
  if (body === undefined) throw refusal('undecodable', 'The body is not valid gzip')
  const form = bodyForm({
    serializationType: serializationTypeOf(request),
    contentType: single(request, 'content-type'),
    firstByte: body[0],
  })
  return form === 'json' ? contract.readJson(body) : contract.skimAvro(body)
}

export const serializationTypeOf = (request: HttpRequest): string | undefined =>
  single(request, 'svc-serialization-type') ?? single(request, 'strm-serialization-type')

/**
 * @param steps what the contract's validations cost for it
 * @returns the value of the key field
 */
export function check(contract: Contract, event: Event, steps: number): string {
  const key = contract.keyOf(event)
  if (key === undefined)
    throw refusal('key_field_empty', `The key field ${contract.keyField} is empty`)
  if (contract.invalidConsentLevel(event) !== undefined)
    throw refusal('invalid_consent_levels', 'svcMeta/consentLevels holds a level outside 0 to 255')
  const violation = contract.firstViolation(event, steps)
  if (violation !== undefined) throw refusal('validation_failed', violation) // spec Errors
  return key
}

/** Only what is stored counts for the month. */
function storeCounted(deps: IngestDeps, checked: CheckedEvent): Promise<HttpResponse> {
  const { stream, bytes } = checked
  const nowMs = deps.now()
  deps.limits.reserve(stream, nowMs, bytes)
  const { promise, waiter } = outcomeOf(deps.limits, { stream, nowMs, bytes })
  try {
    deps.store(checked, nowMs, waiter)?.catch(waiter.reject)
  } catch (error) {
    waiter.reject(error)
  }
  return promise
}

/** It holds nothing of the event, which may go while Kafka has it. */
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

export function single(request: HttpRequest, name: string): string | undefined {
  if (request.headerCount(name) > 1)
    throw refusal('duplicate_header', `There are several ${name} headers; send one`)
  return request.header(name)
}

export const tooLarge = ({ eventBytesMax }: IngestDeps) =>
  refusal('too_large', `An event has at most ${eventBytesMax} bytes, also when it is decompressed`)

const isTooLong = (error: unknown): boolean =>
  error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
