// A stream's events as they come, over output's WebSocket, for development: it shows what is stored while it is connected.
// When the connection ends it connects again, with pauses that grow; the protocol has no way back to what came meanwhile,
// so each such gap is told. To miss nothing, read the stream's Kafka topic (docs/analysts.md).
import type { WebSocket } from 'ws'
import { serviceUrl } from '../address.ts'
import { RejectedError } from '../errors.ts'
import { pauseMs } from '../retries.ts'
import { createTokens, NoToken } from '../tokens.ts'
import type { CredentialsOptions } from '../tokens.ts'
import { isObject, tryParseJson } from '../json.ts'
import type { Ending } from './endings.ts'
import { createInbox } from './inbox.ts'
import { openSocket } from './socket.ts'

export type Gap = {
  /** Why the connection ended. */
  readonly reason: string
  /** From then until events came in again. */
  readonly ms: number
}

export type ListenerOptions = CredentialsOptions & {
  /** The address of output. */
  readonly outputUrl: string
  /** So many events wait for the reader at most (1,000); then the connection is read no further, and output may end it. */
  readonly bufferEventsMax?: number
  /** Connected again: what was stored meanwhile is not shown. */
  readonly onGap?: (gap: Gap) => void
}

export type Listener<Event extends object = Readonly<Record<string, unknown>>> =
  AsyncIterable<Event> & {
    /** Resolves once it is connected for the first time: events stored from then on are shown. */
    ready(): Promise<void>
    /** Ends the iteration, after the events that are here already. */
    close(): void
  }

/** Twice in a row without an event or a minute between them: the next token would be refused, too. */
const tokensRefusedMax = 2
const calmMs = 60_000

/**
 * Events are plain JSON, fields sealed or open as they lie in the stream. One reader at a time; it throws RejectedError when the
 * stream can't be listened to any more.
 */
export function createListener<Event extends object = Readonly<Record<string, unknown>>>(
  options: ListenerOptions,
): Listener<Event> {
  const { bufferEventsMax = 1_000, onGap } = options
  const url = serviceUrl(options.outputUrl, '/ws', 'outputUrl')
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  const tokens = createTokens(options)
  const inbox = createInbox<Event>(bufferEventsMax, () => socket?.resume())
  const stopping = new AbortController()
  const { signal } = stopping
  let socket: WebSocket | undefined
  let onReady: () => void = () => undefined
  let onNeverReady: (error: Error) => void = () => undefined
  const ready = new Promise<void>((resolve, reject) => {
    onReady = resolve
    onNeverReady = reject
  })
  ready.catch(() => undefined) // whoever iterates hears of it

  function onMessage(text: string): void {
    const event = tryParseJson(text)
    if (isObject(event) && !inbox.put(asEvent<Event>(event))) socket?.pause()
  }

  /** One connection, from its token to its end. */
  async function connection(onOpen: () => void): Promise<Ending> {
    let token: string
    try {
      token = await tokens.get()
    } catch (error) {
      if (error instanceof NoToken)
        return { kind: 'again', reason: error.message, afterMs: error.retryAfterMs }
      if (error instanceof RejectedError) return { kind: 'final', error }
      throw error
    }
    const opened = openSocket({ url, token, ca: options.ca, signal, onOpen, onMessage })
    socket = opened.socket
    const ending = await opened.ended
    if (ending.kind === 'token') tokens.refused(token)
    return ending
  }

  async function listen(): Promise<void> {
    let failures = 0
    let tokensRefused = 0
    let lost: { readonly reason: string; readonly atMs: number } | undefined
    while (!signal.aborted) {
      let openedAtMs: number | undefined
      const ending = await connection(() => {
        openedAtMs = performance.now()
        onReady()
        if (lost !== undefined) onGap?.({ reason: lost.reason, ms: openedAtMs - lost.atMs })
        lost = undefined
      })
      if (signal.aborted) return
      if (ending.kind === 'final') throw ending.error
      const nowMs = performance.now()
      if (openedAtMs !== undefined) {
        lost = { reason: ending.reason, atMs: nowMs }
        tokensRefused = 0
      }
      failures = openedAtMs !== undefined && nowMs - openedAtMs > calmMs ? 1 : failures + 1
      tokensRefused += ending.kind === 'token' ? 1 : 0
      if (tokensRefused > tokensRefusedMax)
        throw new RejectedError('invalid_token', ending.reason, 401)
      const afterMs = ending.kind === 'again' ? ending.afterMs : undefined
      await pause(pauseMs(failures, afterMs, Math.random), signal)
    }
  }

  listen().then(
    () => inbox.end(),
    (error: unknown) => {
      const why = error instanceof Error ? error : new Error(String(error))
      onNeverReady(why)
      inbox.end(why)
    },
  )
  const close = (): void => {
    stopping.abort()
    onNeverReady(new Error('The listener is closed'))
    inbox.end()
  }
  return {
    ready: () => ready,
    close,
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
  }
}

/** What lies in a stream has passed its contract; the caller says which that is. */
const asEvent = <Event extends object>(event: object): Event => event as Event

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}
