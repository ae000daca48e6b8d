// The producer: `send` keeps an event's octets until ingest has said what became of it. The first of a burst leaves at once;
// what comes while requests are under way leaves together, as one request, when one of them is answered.
import { serviceUrl } from '../address.ts'
import { UndeliveredError } from '../errors.ts'
import { createTokens } from '../tokens.ts'
import { createBuffer } from './buffer.ts'
import type { BufferSize, Pending } from './buffer.ts'
import { createConnection } from './connection.ts'
import { deliver, lateOf } from './deliver.ts'
import type { DeliverDeps } from './deliver.ts'
import { encodingOf } from './encode.ts'
import { createGate } from './gate.ts'
import { limitsOf } from './options.ts'
import type { ProducerOptions } from './options.ts'

export type Producer<Event extends object = object> = {
  /**
   * Resolves when Kafka has the event on all in-sync replicas. Until then it is sent again after every failure that may
   * pass, so it may be stored more than once. The event is read before `send` returns; afterwards it may change.
   * Rejects with RejectedError (final, not stored) or UndeliveredError (may be sent again).
   */
  send(event: Event): Promise<void>
  /** Resolves as long as the buffer has room: for those who don't wait for each `send`. */
  ready(): Promise<void>
  /** Resolves when every event sent so far has its outcome, good or bad: their own promises tell which. */
  flush(): Promise<void>
  /** Takes no more events, flushes for `deadlineMs` (30,000) at most, and gives up what is left. */
  close(options?: { readonly deadlineMs?: number }): Promise<void>
  /** What has no outcome yet. */
  buffered(): BufferSize
}

const sweepMs = 250
const closeWithinMs = 30_000

/** @throws TypeError for options that can't be, RejectedError `invalid_contract` */
export function createProducer<Event extends object = object>(
  options: ProducerOptions<Event>,
): Producer<Event> {
  const limits = limitsOf(options)
  const encoding = encodingOf(options.contract)
  const ingest = serviceUrl(options.ingestUrl, '/event', 'ingestUrl')
  const buffer = createBuffer({ events: limits.bufferEventsMax, bytes: limits.bufferBytesMax })
  const batchMax = { events: limits.batchEventsMax, bytes: limits.batchBytesMax }
  const resting = new Set<NodeJS.Timeout>()
  let underWay = 0
  let nextNumber = 0
  let isStarting = false
  let isOver = false
  let closing: Promise<void> | undefined

  const gate = createGate({
    requestsMax: limits.requestsMax,
    nowMs: Date.now,
    random: Math.random,
    onOpen: start,
  })
  const connection = createConnection({ url: ingest, ca: options.ca, ...limits })
  const deps: DeliverDeps = {
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
        buffer.putBack(events)
        start()
      }, ms)
      resting.add(timer)
    },
  }

  /**
   * Once for all that is sent in one turn of the event loop, so that a burst is one request; and at once when a batch is full, or
   * answers that come in together would let ingest wait for all of them.
   */
  function start(): void {
    while (!isOver && underWay < gate.open() && buffer.hasBatch(batchMax)) startOne()
    if (isStarting || isOver) return
    isStarting = true
    setImmediate(() => {
      isStarting = false
      while (!isOver && underWay < gate.open() && startOne());
    })
  }

  /** False when nothing waits. */
  function startOne(): boolean {
    const batch = buffer.takeBatch(batchMax)
    if (batch.length === 0) return false
    underWay += 1
    void deliver(deps, batch).finally(() => {
      underWay -= 1
      start()
    })
    return true
  }

  const sweep = setInterval(() => {
    const now = Date.now()
    for (const pending of buffer.unsettled()) {
      if (pending.deadlineMs > now) break
      // What is part of a request gets its answer, or none in requestTimeoutMs.
      const { state } = pending
      if (state === 'waiting' || state === 'resting')
        buffer.settle(pending, lateOf(pending, 'no answer'))
    }
  }, sweepMs).unref()

  async function close(deadlineMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const expired = new Promise<void>((resolve) => (timer = setTimeout(resolve, deadlineMs)))
    await Promise.race([buffer.flushed(), expired])
    isOver = true
    clearTimeout(timer)
    clearInterval(sweep)
    gate.close()
    for (const each of resting) clearTimeout(each)
    for (const pending of buffer.unsettled()) buffer.settle(pending, closedWith(pending))
    connection.close()
  }

  return {
    async send(event) {
      if (closing !== undefined) throw new UndeliveredError('closed', closedSentence, neverSent)
      const bytes = encoding.encode(event)
      if (buffer.isOverfull()) throw new UndeliveredError('buffer_full', fullSentence, neverSent)
      return new Promise<void>((resolve, reject) => {
        buffer.add({
          number: nextNumber++,
          bytes,
          deadlineMs: Date.now() + limits.sendTimeoutMs,
          resolve,
          reject,
          state: 'waiting',
          tries: 0,
          mayBeStored: false,
          tokensRefused: 0,
        })
        start()
      })
    },
    ready: () => buffer.ready(),
    flush: () => buffer.flushed(),
    close: ({ deadlineMs = closeWithinMs } = {}) => (closing ??= close(deadlineMs)),
    buffered: () => buffer.size(),
  }
}

const closedSentence = 'The producer is closed'
const fullSentence =
  'Far more events are waiting than fit into the buffer: wait for send, or for ready'
const neverSent = { mayBeStored: false }

const closedWith = ({ state, mayBeStored }: Pending): UndeliveredError =>
  new UndeliveredError('closed', 'The producer was closed before there was an answer', {
    mayBeStored: mayBeStored || state === 'under_way',
  })
