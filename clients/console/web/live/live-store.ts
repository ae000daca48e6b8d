// The newest events of one input stream, each with what became of it in the derived streams. What comes over the
// WebSockets is joined by the envelope, which is the same sealed and open; several events with one envelope are told
// apart by their order. Bounded: the oldest go. It knows no browser.
import { isObject, numbersOf, parseObject, textOf } from '../api/json.ts'
import type { Json } from '../api/json.ts'

export type LiveEvent = {
  /** Counts from 1; the newest has the highest. */
  readonly id: number
  readonly atMs: number
  /** As it lies in the input stream. */
  readonly sealed: Json
  readonly contractId: string
  readonly consent: readonly number[]
  /** As the producer sent it, when that was this page. */
  sent: Json | undefined
  /** By the derived stream's name. */
  readonly opened: Map<string, Json>
  /** All of it, for looking for words. */
  text: string
}

/** For what comes in, and what goes out. */
export type LiveFeed = {
  addInput(text: string, atMs: number): void
  addOutput(name: string, text: string): void
  /** What this page is about to send; the next event that looks like it is shown with it. */
  expect(contractId: string, event: Json, personal: readonly string[]): void
}

/** For what is shown. */
export type LiveEvents = {
  /** Newest first, as they are now; events go on changing until their outputs have come. */
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
  const expected: Expected[] = []

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
      expected.push({ contractId, event, shape: shapeOf(event, personal), personal })
      if (expected.length > expectedMax) expected.shift()
    },
    newest: () => events.slice(-eventsMax).reverse(),
    total: () => count,
    clear() {
      events = []
      joined.clear()
    },
  }
}

/** Input events, and what derived streams show of them, in whichever order both come. */
function joinByEnvelope(earlyMax: number) {
  // Events that some derived stream may still show, oldest first.
  const byEnvelope = new Map<string, LiveEvent[]>()
  // Derived events that overtook their input event.
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

/** What this page has sent is shown with the first event that looks like it. */
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

/** Those that belong to a later event with the same envelope are left. */
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

/** What sealing leaves as it is: everything but personal fields and what the service writes into the envelope. */
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
