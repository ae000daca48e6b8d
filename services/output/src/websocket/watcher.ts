// One WebSocket that watches a stream. Messages wait here until the upgrade is complete. A client that can't keep up is
// disconnected, so it never slows other clients. Messages are frames that all clients share. They are written to the
// connection directly, not through ws. This is safe because ws also writes only whole frames, and without compression
// writes them immediately.
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'

/** Why a connection ends (docs/wire-format.md WebSocket). */
export const closing = {
  tokenDead: { code: 4401, reason: 'token expired or revoked' },
  disabled: { code: 4403, reason: 'stream disabled' },
  gone: { code: 4410, reason: 'stream gone' },
  tooSlow: { code: 1013, reason: 'too slow' },
  unsure: { code: 1013, reason: 'try again later' },
  restart: { code: 1012, reason: 'service restart' },
} as const
export type Closing = (typeof closing)[keyof typeof closing]

export const bufferedBytesMax = 1_048_576
/** A client with this number of unsent messages is too slow. The messages of the current `send` don't count. */
export const bufferedMessagesMax = 1_000
/** A client that doesn't answer the close frame within this time is disconnected. */
const closeTimeoutMs = 2_000

export type Watcher = {
  /**
   * Sends frames that contain this number of text messages. `onOver` is called when the messages are sent to the
   * client, or never will be.
   */
  send(frames: Buffer, messages: number, onOver?: () => void): void
  /** From now on messages are sent over the WebSocket's connection, beginning with those that waited. */
  attach(socket: WebSocket, connection: Duplex): void
  end(why: Closing): void
}

type Open = { readonly socket: WebSocket; readonly connection: Duplex }
type Waiting = {
  readonly frames: Buffer
  readonly messages: number
  readonly onOver: () => void
}

export function createWatcher(counts: { sent(messages: number): void; tooSlow(): void }): Watcher {
  let open: Open | undefined
  const waiting = createBacklog()
  let unsent = 0
  let ending: Closing | undefined

  const end = (why: Closing): void => {
    if (ending !== undefined) return
    ending = why
    for (const { onOver } of waiting.takeAll()) onOver()
    if (open !== undefined) close(open.socket, why)
  }

  const send = (frames: Buffer, messages: number, onOver = () => {}): void => {
    if (ending !== undefined || hasClosed(open)) return onOver()
    const bytes = open === undefined ? waiting.bytes() : open.connection.writableLength
    if (unsent >= bufferedMessagesMax || bytes >= bufferedBytesMax) {
      onOver()
      counts.tooSlow()
      return end(closing.tooSlow)
    }
    unsent += messages
    if (open === undefined) return waiting.add({ frames, messages, onOver })
    open.connection.write(frames, () => {
      unsent -= messages
      onOver()
    })
    counts.sent(messages)
  }

  return {
    send,
    end,
    attach(socket, connection) {
      open = { socket, connection }
      if (ending !== undefined) return close(socket, ending)
      unsent = 0
      for (const { frames, messages, onOver } of waiting.takeAll()) send(frames, messages, onOver)
    },
  }
}

function createBacklog() {
  const all: Waiting[] = []
  let bytes = 0
  return {
    bytes: () => bytes,
    add(waiting: Waiting): void {
      all.push(waiting)
      bytes += waiting.frames.length
    },
    takeAll: () => all.splice(0),
  }
}

const hasClosed = (open?: Open): boolean =>
  open !== undefined && open.socket.readyState !== open.socket.OPEN

function close(socket: WebSocket, why: Closing): void {
  socket.close(why.code, why.reason)
  // A slow client reads the close frame late, after all earlier messages. ws waits 30 s for the answer.
  if (why !== closing.tooSlow) setTimeout(() => socket.terminate(), closeTimeoutMs).unref()
}
