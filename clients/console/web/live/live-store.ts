// The newest events of one input stream, with their forms in the derived streams. Events from the WebSockets are joined
// by their envelope, which encryption does not change. Events with the same envelope are distinguished by their order.
// The number of events is limited: the oldest are dropped. Independent of the browser.
import { isObject, numbersOf, parseObject, textOf } from '../api/json.ts'
import type { Json } from '../api/json.ts'

export type LiveEvent = {
  /** Counts from 1; the newest event has the highest. */
  readonly id: number
  readonly atMs: number
  /** As stored in the input stream. */
  readonly sealed: Json
  readonly contractId: string
  readonly consent: readonly number[]
  /** The event as sent, if this page sent it. */
  sent: Json | undefined
  /** The event in each derived stream, by name. */
  readonly opened: Map<string, Json>
  /** The whole event as text, for the filter. */
  text: string
}

export type LiveFeed = {
  addInput(text: string, atMs: number): void
  addOutput(name: string, text: string): void
  /**
   * Prepares for an event that this page is about to send. The next received event that matches is shown with the sent
   * one. If ingest refuses the event, call the returned function: otherwise a later event could match, because personal
   * fields are not compared.
   */
  expect(contractId: string, event: Json, personal: readonly string[]): () => void
}

export type LiveEvents = {
  /** Newest first. The events change until all derived streams have shown them. */
  newest(): readonly LiveEvent[]
  total(): number
  clear(): void
}

export type LiveStore = LiveFeed & LiveEvents

type Early = { readonly name: string; readonly event: Json; readonly text: string }
type Expected = { contractId: string; event: Json; shape: string; personal: readonly string[] }

const expectedMax = 20

export function createLiveStore(eventsMax = 2_000): LiveStore {
  let events: LiveEvent[] = []
  let count = 0
  const joined = joinByEnvelope(eventsMax)
  let expected: Expected[] = []

  const trim = (): void => {
    if (events.length < eventsMax * 1.25) return
    for (const gone of events.slice(0, events.length - eventsMax)) joined.forget(gone)
    events = events.slice(-eventsMax)
  }

  return {
    addInput(text, atMs) {
      const sealed = parseObject(text)
      if (sealed === undefined) return
      const event: LiveEvent = { id: (count += 1), atMs, sealed, ...metaOf(sealed), ...fresh(text) }
      claimSent(expected, event)
      events.push(event)
      joined.add(event)
      trim()
    },
    addOutput(name, text) {
      const opened = parseObject(text)
      if (opened !== undefined) joined.open({ name, event: opened, text })
    },
    expect(contractId, event, personal) {
      const one = { contractId, event, shape: shapeOf(event, personal), personal }
      expected.push(one)
      if (expected.length > expectedMax) expected.shift()
      return () => void (expected = expected.filter((other) => other !== one))
    },
    newest: () => events.slice(-eventsMax).reverse(),
    total: () => count,
    clear() {
      events = []
      joined.clear()
    },
  }
}

/** Joins input events with events of derived streams, which arrive in any order. */
function joinByEnvelope(earlyMax: number) {
  // The kept input events by envelope, oldest first.
  const byEnvelope = new Map<string, LiveEvent[]>()
  // Derived events that arrived before their input event.
  const early = new Map<string, Early[]>()
  return {
    add(event: LiveEvent): void {
      const key = envelopeOf(event.sealed)
      byEnvelope.set(key, [...(byEnvelope.get(key) ?? []), event])
      const left = openEarly(event, early.get(key) ?? [])
      if (left.length > 0) early.set(key, left)
      else early.delete(key)
    },
    open(derived: Early): void {
      const key = envelopeOf(derived.event)
      const event = byEnvelope.get(key)?.find((one) => !one.opened.has(derived.name))
      if (event !== undefined) return open(event, derived)
      early.set(key, [...(early.get(key) ?? []), derived])
      const [oldest] = early.keys()
      if (early.size > earlyMax && oldest !== undefined) early.delete(oldest)
    },
    forget(gone: LiveEvent): void {
      const key = envelopeOf(gone.sealed)
      const same = byEnvelope.get(key)?.filter((event) => event !== gone) ?? []
      if (same.length === 0) byEnvelope.delete(key)
      else byEnvelope.set(key, same)
    },
    clear(): void {
      byEnvelope.clear()
      early.clear()
    },
  }
}

/** Assigns a sent event to the received event, if they match. */
function claimSent(expected: Expected[], event: LiveEvent): void {
  const index = expected.findIndex(
    (one) =>
      one.contractId === event.contractId && one.shape === shapeOf(event.sealed, one.personal),
  )
  if (index < 0) return
  event.sent = expected[index]?.event
  expected.splice(index, 1)
}

function open(event: LiveEvent, { name, event: opened, text }: Early): void {
  event.opened.set(name, opened)
  event.text += `\n${text.toLowerCase()}`
}

/** Adds early derived events to their event. Returns those that belong to a later event with the same envelope. */
const openEarly = (event: LiveEvent, early: readonly Early[]): Early[] =>
  early.filter((one) => {
    if (event.opened.has(one.name)) return true
    open(event, one)
    return false
  })

const fresh = (text: string) => ({
  sent: undefined,
  opened: new Map<string, Json>(),
  text: text.toLowerCase(),
})

const envelopeOf = (event: Json): string => JSON.stringify(event['svcMeta'])

function metaOf({ svcMeta }: Json) {
  const meta = isObject(svcMeta) ? svcMeta : {}
  const contractId = textOf(meta['schemaId']) || textOf(meta['eventContractRef'])
  return { contractId, consent: numbersOf(meta['consentLevels']) }
}

/**
 * Returns what ingest does not change: everything except personal fields and the members of the envelope that it sets.
 */
function shapeOf(event: Json, personal: readonly string[]): string {
  const left = (value: unknown, path: string): unknown => {
    if (personal.includes(path)) return null
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        name,
        left(one, path === '' ? name : `${path}/${name}`),
      ]),
    )
  }
  const meta = isObject(event['svcMeta']) ? event['svcMeta'] : {}
  return JSON.stringify(left({ ...event, svcMeta: { consentLevels: meta['consentLevels'] } }, ''))
}
