// When requests leave: the first of a burst at once; what comes while requests are under way leaves together, as one request,
// when one of them is answered. What becomes of each is in deliver.ts.
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

export type Sender = {
  /** Something waits. */
  start(): void
  /** Nothing leaves any more, and no answer is waited for. */
  stop(): void
}

type Sending = {
  readonly limits: Limits
  readonly encoding: Encoding
  readonly buffer: EventBuffer
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
   * Once for all that is sent in one turn of the event loop, so that a burst is one request; and at once when a batch is full, or
   * answers that come in together would let ingest wait for all of them.
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

  /** False when nothing waits. */
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
  const sweep = setInterval(() => giveUpLate(buffer, Date.now()), sweepMs).unref()

  return {
    start,
    stop() {
      isOver = true
      clearInterval(sweep)
      deps.stop()
    },
  }
}

/** `start`: there may be something to send again. */
function deliverDepsOf(
  options: SenderOptions,
  { limits, encoding, buffer }: Sending,
  start: () => void,
): DeliverDeps & { stop(): void } {
  const ingest = serviceUrl(options.ingestUrl, '/event', 'ingestUrl')
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
    // What it throws is its own affair.
    onRetry: (retry) => queueMicrotask(() => options.onRetry?.(retry)),
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

function giveUpLate(buffer: EventBuffer, nowMs: number): void {
  for (const pending of buffer.unsettled()) {
    if (pending.deadlineMs > nowMs) break
    if (isOurs(pending)) buffer.settle(pending, lateOf(pending, 'no answer'))
  }
}

/** What is part of a request gets its answer, or none in requestTimeoutMs. */
const isOurs = ({ state }: Pending): boolean => state === 'waiting' || state === 'resting'
