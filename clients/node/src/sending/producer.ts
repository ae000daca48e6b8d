// Sends events. `send` keeps each encoded event in memory until its outcome is known.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Trouble } from '../address.ts'
import { UndeliveredError } from '../errors.ts'
import { createBuffer } from './buffer.ts'
import { encodingOf } from './encode.ts'
import { deadlineOf, limitsOf } from './options.ts'
import type { BufferSize, CloseOptions, ProducerOptions } from './options.ts'
import type { Pending } from './pending.ts'
import { createReports } from './reports.ts'
import { createSender } from './sender.ts'

export type Producer<Event extends object = object> = {
  /**
   * Resolves when Kafka has stored the event on all in-sync replicas. After a temporary failure the event is sent
   * again, so it may be stored more than once. You may change the object as soon as `send` has returned its promise.
   * Rejects with RejectedError (final, not stored) or UndeliveredError (may be sent again). `onError` also gets the
   * error. A rejection that nothing catches does not end the process.
   */
  send(event: Event): Promise<void>
  /** Resolves when the buffer has room. For programs that don't wait for each `send`. */
  ready(): Promise<void>
  /** Resolves when every event sent so far has its outcome, and the handlers of its promise have run. */
  flush(): Promise<void>
  /**
   * Accepts no more events, waits for outcomes for at most `deadlineMs` (default: 30,000), and gives up the remaining
   * events. Never rejects. @throws TypeError for invalid options
   */
  close(options?: CloseOptions): Promise<void>
  /** Returns number and bytes of the events without an outcome. */
  buffered(): BufferSize
}

/**
 * Creates a producer. The contract determines the type of the events. If the options spread a value of type `any`, such
 * as `...JSON.parse(text)`, TypeScript checks no event. @throws TypeError for invalid options, RejectedError
 * `invalid_contract`
 */
export function createProducer<Event extends object = object>(
  options: ProducerOptions<Event>,
): Producer<Event> {
  const limits = limitsOf(options)
  const encoding = encodingOf(options.contract)
  const buffer = createBuffer({ events: limits.bufferEventsMax, bytes: limits.bufferBytesMax })
  const { room } = buffer
  const reports = createReports(options, limits)
  const sender = createSender(options, { limits, encoding, buffer, reports })
  let nextNumber = 0
  let closing: Promise<void> | undefined

  async function close(deadlineMs: number): Promise<void> {
    await within(room.flushed(), deadlineMs)
    sender.stop()
    for (const pending of buffer.unsettled())
      buffer.settle(pending, closedWith(pending, reports.troubleOf(pending)))
    await handlersRun()
  }

  async function send(event: Event): Promise<void> {
    if (closing !== undefined) throw new UndeliveredError('closed', closedSentence, neverSent)
    const bytes = encoding.encode(event)
    if (room.isOverfull()) throw new UndeliveredError('buffer_full', fullSentence, neverSent)
    return new Promise<void>((resolve, reject) => {
      const deadlineMs = Date.now() + limits.sendTimeoutMs
      buffer.add({ number: nextNumber++, bytes, deadlineMs, resolve, reject, ...untried() })
      sender.start()
    })
  }

  return {
    send(event) {
      const sending = send(event)
      sending.catch(reports.failed)
      return sending
    },
    ready: () => room.ready(),
    flush: () => room.flushed().then(handlersRun),
    close: (closeOptions) => (closing ??= close(deadlineOf(closeOptions))),
    buffered: () => room.size(),
  }
}

/** Handlers of settled promises run before the next turn of the event loop. */
const handlersRun = (): Promise<void> => nextTurn()

async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))
  await Promise.race([work, expired])
  clearTimeout(timer)
}

const untried = () =>
  ({ state: 'waiting', tries: 0, mayBeStored: false, tokensRefused: 0 }) as const

const closedSentence = 'The producer is closed'
const fullSentence =
  'Far more events are waiting than fit into the buffer: wait for send, or for ready'
const neverSent = { mayBeStored: false }

const closedWith = (
  { state, mayBeStored }: Pending,
  { trouble, cause }: Trouble,
): UndeliveredError =>
  new UndeliveredError('closed', `The producer was closed before there was an answer: ${trouble}`, {
    mayBeStored: mayBeStored || state === 'under_way',
    cause,
  })
