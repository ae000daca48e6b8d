// Builds requests with events, and concludes from a response whether each event was stored, not stored, or unknown.
import { plainEventOf } from '../events.ts'
import type { SendOutcome, Sent } from '../ledger.ts'
import { asObject } from '@weir/testkit'
import type { EventAnswer, EventRequest } from './sender.ts'

export type RequestForm = 'json' | 'avro'

/** The faults that an event or its request can have. Ingest must not store an event with a fault. */
export const faultsOfEvents = ['consent', 'key', 'schema', 'cut', 'token'] as const
export type FaultOfEvent = (typeof faultsOfEvents)[number]

export function eventRequestOf(event: Sent, token: string, form: RequestForm): EventRequest {
  return {
    path: '/event',
    headers: headersOf(event, token, form === 'json' ? 'application/json' : 'avro/binary'),
    body: form === 'json' ? Buffer.from(jsonOf(event)) : datumOf(event),
  }
}

export function wrongRequestOf(event: Sent, token: string, fault: FaultOfEvent): EventRequest {
  const right = eventRequestOf(event, token, 'json')
  const { headers, body } = right
  switch (fault) {
    case 'consent': {
      const text = body.toString().replace(/"consentLevels":\[[^\]]*\]/, '"consentLevels":[256]')
      return { ...right, body: Buffer.from(text) }
    }
    case 'key':
      return { ...right, body: Buffer.from(body.toString().replace(event.person, '')) }
    case 'schema':
      return { ...right, headers: { ...headers, 'svc-schema-id': 'unheard-of' } }
    case 'cut':
      return { ...right, body: body.subarray(0, -1) }
    case 'token':
      return { ...right, headers: { ...headers, authorization: `Bearer ${token.slice(0, -8)}` } }
  }
}

/** All events must have the same contract. */
export function batchOf(events: readonly Sent[], token: string, form: RequestForm): EventRequest {
  const [first] = events
  if (first === undefined) throw new TypeError('a batch of nothing')
  const type = form === 'json' ? 'application/x-ndjson' : 'application/x-avro-batch'
  const pieces = events.map((event) => (form === 'json' ? lineOf(event) : lengthAndDatumOf(event)))
  return { path: '/events', headers: headersOf(first, token, type), body: Buffer.concat(pieces) }
}

export function eventOutcomeOf(answer: EventAnswer | undefined): SendOutcome {
  if (answer === undefined || answer.status >= 500) return 'unknown'
  return answer.status === 204 ? 'acknowledged' : 'refused'
}

/** Returns the outcome of each event of `POST /events`. Throws if the counts of the response are inconsistent. */
export function outcomesOf(answer: EventAnswer | undefined, count: number): SendOutcome[] {
  if (answer?.status !== 200) return Array<SendOutcome>(count).fill(eventOutcomeOf(answer))
  const told = readJson(answer.body)
  if (told === undefined) return Array<SendOutcome>(count).fill('unknown')
  const { accepted, rejected } = told
  const rejections = Array.isArray(rejected) ? rejected.map(asObject) : []
  if (accepted !== count - rejections.length) throw new Error('an answer that does not add up')
  const outcomes = Array<SendOutcome>(count).fill('acknowledged')
  for (const { index, status } of rejections)
    outcomes[Number(index)] = Number(status) >= 500 ? 'unknown' : 'refused'
  return outcomes
}

/** Returns undefined if the response broke off. Ingest may start a response before all events are stored. */
function readJson(text: string): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return undefined
  }
}

const headersOf = ({ kind }: Sent, token: string, contentType: string) => ({
  authorization: `Bearer ${token}`,
  'svc-schema-id': kind.id,
  'content-type': contentType,
})

const jsonOf = (event: Sent): string => event.kind.type.toString(plainEventOf(event))
const datumOf = (event: Sent): Buffer => event.kind.type.toBuffer(plainEventOf(event))
const lineOf = (event: Sent): Buffer => Buffer.from(`${jsonOf(event)}\n`)

function lengthAndDatumOf(event: Sent): Buffer {
  const datum = datumOf(event)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(datum.length)
  return Buffer.concat([length, datum])
}
