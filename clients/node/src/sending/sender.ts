// Decides when requests are sent. The events of a burst are sent together. Events that arrive while no further request
// is allowed are sent together after the next response. deliver.ts handles the outcomes.
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
   * Sends the waiting events once per turn of the event loop, so that a burst becomes one request. Sends a full batch
   * immediately. Otherwise ingest would be idle while responses that arrive together are handled.
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

  /** Returns false if no events wait. */
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

/** `start` is called when the gate opens, and when resting events return to the queue. */
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

/** Returns false for events of a request, because the end of the request settles them or sends them again. */
const isOurs = ({ state }: Pending): boolean => state === 'waiting' || state === 'resting'
