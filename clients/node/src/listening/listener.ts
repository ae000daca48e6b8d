// Receives a stream's new events over output's WebSocket, for development. After a connection has ended, the listener
// reconnects, and reports the gap, because output can't send missed events again. To miss nothing, read the stream's
// Kafka topic (docs/analysts.md).
import type { WebSocket } from 'ws'
import { serviceUrl } from '../address.ts'
import { ReadError, RejectedError } from '../errors.ts'
import { createNotices } from '../notices.ts'
import { createTokens, NoToken } from '../tokens.ts'
import { isObject, tryParseJson } from '../json.ts'
import type { Ending } from './endings.ts'
import { createInbox } from './inbox.ts'
import type { Inbox } from './inbox.ts'
import { keepConnected } from './keep-connected.ts'
import { checkListenerOptions } from './options.ts'
import type { ListenerOptions } from './options.ts'
import { openSocket } from './socket.ts'

export type Listener<Event extends object = Readonly<Record<string, unknown>>> =
  AsyncIterable<Event> & {
    /**
     * Resolves once the listener is connected for the first time. The iteration yields events that are stored from then
     * on. Rejects with the errors of the iteration, or with ReadError `closed`.
     */
    ready(): Promise<void>
    /** Disconnects, and ends the iteration after the events that have arrived. */
    close(): void
  }

/**
 * Creates a listener. Events are plain JSON. Fields that an output may see are decrypted, even if they are encrypted in
 * its topic. Use only one loop at a time. The iteration throws RejectedError when the stream can't be listened to any
 * more. While a service is unreachable, the listener keeps trying. @throws TypeError for invalid options
 */
export function createListener<Event extends object = Readonly<Record<string, unknown>>>(
  options: ListenerOptions,
): Listener<Event> {
  checkListenerOptions(options)
  const notices = createNotices()
  const {
    bufferEventsMax = 1_000,
    onGap = ({ reason, ms }) =>
      notices('gap', `Not connected for ${Math.round(ms)} ms, ${reason}: events may be missing`),
    onRetry = ({ trouble }) => notices(trouble, `${trouble}. It keeps trying.`),
  } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const inbox = createInbox<Event>(bufferEventsMax, () => connections.resume())
  const connections = createConnections(options, signal, (event) =>
    inbox.put(asEvent<Event>(event)),
  )
  const ready = createReady()
  keepConnected({
    connect: connections.connect,
    signal,
    onOpen: ready.now,
    onGap,
    onRetry,
  }).then(
    () => inbox.end(),
    (error: unknown) => {
      const why = error instanceof Error ? error : new Error(String(error))
      ready.never(why)
      inbox.end(why)
    },
  )
  const close = (): void => {
    stopping.abort()
    ready.never(new ReadError('closed', 'The listener is closed'))
    inbox.end()
  }
  return { ready: () => ready.promise, close, ...iterableOf(inbox, close) }
}

/** If `take` returns false, the reader's buffer is full. Then the socket is not read until `resume` is called. */
function createConnections(
  options: ListenerOptions,
  signal: AbortSignal,
  take: (event: object) => boolean,
) {
  const url = serviceUrl(options.outputUrl, '/ws')
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  const tokens = createTokens(options)
  let socket: WebSocket | undefined

  function onMessage(text: string): void {
    const event = tryParseJson(text)
    if (isObject(event) && !take(event)) socket?.pause()
  }
  return {
    resume: () => socket?.resume(),
    async connect(onOpen: () => void): Promise<Ending> {
      let token: string
      try {
        token = await tokens.get()
      } catch (error) {
        if (error instanceof NoToken) return noToken(error)
        if (error instanceof RejectedError) return { kind: 'final', error }
        throw error
      }
      const opened = openSocket({ url, token, ca: options.ca, signal, onOpen, onMessage })
      socket = opened.socket
      const ending = await opened.ended
      if (ending.kind === 'token') tokens.refused(token)
      return ending
    },
  }
}

const noToken = ({ message: reason, cause, retryAfterMs: afterMs }: NoToken): Ending => ({
  kind: 'again',
  reason,
  cause,
  afterMs,
})

function createReady() {
  let now: () => void = () => undefined
  let never: (error: Error) => void = () => undefined
  const promise = new Promise<void>((resolve, reject) => {
    now = resolve
    never = reject
  })
  promise.catch(() => undefined) // the iteration throws the error, too
  return { promise, now, never }
}

const iterableOf = <Event>(inbox: Inbox<Event>, close: () => void): AsyncIterable<Event> => ({
  [Symbol.asyncIterator]: () => ({
    async next() {
      const value = await inbox.take()
      return value === undefined ? { done: true, value } : { done: false, value }
    },
    async return() {
      close()
      return { done: true, value: undefined }
    },
  }),
})

/** The caller knows the type of its events. */
const asEvent = <Event extends object>(event: object): Event => event as Event
