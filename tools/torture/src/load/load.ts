// The load, in lanes. A lane is a producer that sends one request after the other, each to a random replica. Each lane
// has its own persons, so the order of a person's events is known.
import { delay } from '@weir/kit'

import { personNamed } from '../events.ts'
import type { Kind } from '../events.ts'
import type { Ledger, Sent } from '../ledger.ts'
import type { Random } from '../random.ts'
import type { TestInput } from '../streams.ts'
import {
  batchOf,
  faultsOfEvents,
  eventOutcomeOf,
  outcomesOf,
  eventRequestOf,
  wrongRequestOf,
} from './requests.ts'
import { createSender } from './sender.ts'
import type { EventAnswer, Sender } from './sender.ts'

export type LoadDeps = {
  kinds: readonly Kind[]
  ledger: Ledger
  random: Random
  inputs: readonly TestInput[]
  /** The addresses of the replicas of ingest; undefined while a replica is down. */
  addresses: readonly (() => string | undefined)[]
  token(stream: string): string
  /** Called if the token was refused. */
  renew(stream: string): Promise<void>
  /** Called when a replica acknowledged an event that was sent at `sentMs` (`performance.now()`). */
  onStored(stream: string, replica: number, sentMs: number): void
  /** HTTP/2 by default. */
  sender?(address: () => string | undefined): Sender
  /** `answer` is undefined without a response. `isWrong`: the request should be refused. */
  onAnswer?(answer: EventAnswer | undefined, isWrong: boolean): void
}

export type LoadSize = {
  readonly lanesOfEachStream: number
  readonly personsOfEachLane: number
  readonly requestsASecondOfEachLane: number
}

export type Load = { stop(): Promise<void> }

type Lane = {
  stream: TestInput
  persons: readonly string[]
  random: Random
  senders: readonly Sender[]
}

const consentMax = 3
const BATCH_MAX = 8
const BATCHES = 0.08
const WRONG = 0.05
const PAUSE_AFTER_TROUBLE_MS = 250

export function startLoad(deps: LoadDeps, size: LoadSize): Load {
  const lanes = deps.inputs.flatMap((stream) =>
    Array.from({ length: size.lanesOfEachStream }, (_, lane) => openLane(deps, stream, lane, size)),
  )
  const pauseMs = 1_000 / size.requestsASecondOfEachLane
  let isRunning = true
  const run = async (lane: Lane): Promise<void> => {
    while (isRunning) {
      const startedMs = performance.now()
      const isTrouble = await sendSomething(deps, lane)
      const restMs = isTrouble ? PAUSE_AFTER_TROUBLE_MS : pauseMs - (performance.now() - startedMs)
      await delay(restMs * (0.5 + lane.random.next()))
    }
    for (const sender of lane.senders) sender.close()
  }
  const running = Promise.all(lanes.map(run))
  running.catch(() => undefined) // stop() rejects with the error
  return {
    async stop() {
      isRunning = false
      await running
    },
  }
}

function openLane(deps: LoadDeps, stream: TestInput, lane: number, size: LoadSize): Lane {
  const { personsOfEachLane: count } = size
  return {
    stream,
    persons: Array.from({ length: count }, (_, at) => personNamed(stream.name, lane * count + at)),
    random: deps.random.fork(),
    senders: deps.addresses.map(deps.sender ?? createSender),
  }
}

/** Sends one request. Returns true if the replica is down, did not respond, or failed (5xx). */
async function sendSomething(deps: LoadDeps, lane: Lane): Promise<boolean> {
  const { random, stream } = lane
  const what = random.next()
  const kind = random.pick(deps.kinds)
  const replica = random.between(0, lane.senders.length - 1)
  if (deps.addresses[replica]?.() === undefined) return true
  const count = what < BATCHES ? random.between(2, BATCH_MAX) : 1
  const form = random.pick(['json', 'avro'] as const)
  const events = Array.from({ length: count }, () => newEvent(deps, lane, kind))
  const [first] = events
  if (first === undefined) return false
  const token = deps.token(stream.name)
  const isWrong = count === 1 && what > 1 - WRONG
  const request = isWrong
    ? wrongRequestOf(first, token, random.pick(faultsOfEvents))
    : count > 1
      ? batchOf(events, token, form)
      : eventRequestOf(first, token, form)
  const sentMs = performance.now()
  const answer = await lane.senders[replica]?.send(request)
  deps.onAnswer?.(answer, isWrong)
  const outcomes = count > 1 ? outcomesOf(answer, count) : [eventOutcomeOf(answer)]
  for (const [index, outcome] of outcomes.entries()) {
    const event = events[index]
    if (event !== undefined) Object.assign(event, { outcome, answeredMs: Date.now() })
  }
  if (outcomes.includes('acknowledged')) deps.onStored(stream.name, replica, sentMs)
  if (answer?.status === 401 && !isWrong) await deps.renew(stream.name)
  return answer === undefined || answer.status >= 500
}

function newEvent({ ledger }: LoadDeps, { random, stream, persons }: Lane, kind: Kind): Sent {
  const levels = Array.from({ length: consentMax + 1 }, (_, level) => level)
  const consentLevels = random.chance(0.05) ? [] : levels.filter(() => random.chance(0.6))
  return ledger.open({ kind, stream: stream.name, person: random.pick(persons), consentLevels })
}
