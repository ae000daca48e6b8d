// When requests are sent: the first one of a burst immediately. Events that arrive while requests are under way are
// sent together when one of these is answered. deliver.ts handles the outcomes.
import { serviceUrl } from '../address.ts'
import { createTokens } from '../tokens.ts'
import type { EventBuffer } from './buffer.ts'
import type { Pending } from './pending.ts'
import { createConnection } from './connection.ts'
import { deliver, lateOf } from './deliver.ts'
import type { DeliverDeps } from './deliver.ts'
import type { Encoding } from './encode.ts'
import { createGate } from './gate.ts'
import type { Limits, ProducerOptions } from './options.ts'
import type { Reports } from './reports.ts'

export type Sender = {
  /** Call it when events wait. */
  start(): void
  /** Sends nothing more, and waits for no response. */
  stop(): void
}

type Sending = {
  readonly limits: Limits
  readonly encoding: Encoding
  readonly buffer: EventBuffer
  readonly reports: Reports
}

type SenderOptions = Omit<ProducerOptions, 'contract'>

const sweepMs = 250

export function createSender(options: SenderOptions, sending: Sending): Sender {
  const { limits, buffer } = sending
  const { queue } = buffer
  const batchMax = { events: limits.batchEventsMax, bytes: limits.batchBytesMax }
  let underWay = 0
  let isStarting = false
  let isOver = false

  /**
   * Runs once per turn of the event loop, so that a burst becomes one request. A full batch is sent immediately,
   * because otherwise responses that arrive together would leave ingest idle until all of them are handled.
   */
  function start(): void {
    while (mayLeave() && queue.hasBatch(batchMax)) startOne()
    if (isStarting || isOver) return
    isStarting = true
    setImmediate(() => {
      isStarting = false
      while (mayLeave() && startOne());
    })
  }

  /** False if no events wait. */
  function startOne(): boolean {
    const batch = queue.takeBatch(batchMax)
    if (batch.length === 0) return false
    underWay += 1
    void deliver(deps, batch).finally(() => {
      underWay -= 1
      start()
    })
    return true
  }

  const deps = deliverDepsOf(options, sending, start)
  const mayLeave = (): boolean => !isOver && underWay < deps.gate.open()
  const sweep = setInterval(() => giveUpLate(sending, Date.now()), sweepMs).unref()

  return {
    start,
    stop() {
      isOver = true
      clearInterval(sweep)
      deps.stop()
    },
  }
}

/** `start` is called when the gate opens or events are to be sent again. */
function deliverDepsOf(
  options: SenderOptions,
  { limits, encoding, buffer, reports }: Sending,
  start: () => void,
): DeliverDeps & { stop(): void } {
  const ingest = serviceUrl(options.ingestUrl, '/event')
  const { requestsMax } = limits
  const gate = createGate({ requestsMax, nowMs: Date.now, random: Math.random, onOpen: start })
  const connection = createConnection({ url: ingest, ca: options.ca, ...limits })
  const resting = new Set<NodeJS.Timeout>()
  return {
    buffer,
    gate,
    connection,
    encoding,
    tokens: createTokens(options),
    paths: { one: ingest.pathname, many: `${ingest.pathname}s` },
    nowMs: Date.now,
    random: Math.random,
    onRetry: reports.retry,
    rest(events, ms) {
      const timer = setTimeout(() => {
        resting.delete(timer)
        buffer.queue.putBack(events)
        start()
      }, ms)
      resting.add(timer)
    },
    stop() {
      gate.close()
      for (const each of resting) clearTimeout(each)
      connection.close()
    },
  }
}

function giveUpLate({ buffer, reports }: Sending, nowMs: number): void {
  for (const pending of buffer.unsettled()) {
    if (pending.deadlineMs > nowMs) break
    if (isOurs(pending)) buffer.settle(pending, lateOf(pending, reports.troubleOf(pending)))
  }
}

/** Events of a request are not included: they get a response, or none within requestTimeoutMs. */
const isOurs = ({ state }: Pending): boolean => state === 'waiting' || state === 'resting'
