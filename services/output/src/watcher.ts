// One WebSocket that watches a stream. Messages wait here until the upgrade is done; a client that
// can't keep up is closed, so it never slows the others.
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
export const bufferedMessagesMax = 1_000
/** A client that doesn't answer the close frame is cut off. */
const closeTimeoutMs = 2_000

export type Watcher = {
  /** One event as JSON text in UTF-8. */
  send(message: Buffer): void
  /** From here on messages go out; those that waited first. */
  attach(socket: WebSocket): void
  end(why: Closing): void
}

export function createWatcher(counts: { sent(): void; tooSlow(): void }): Watcher {
  let socket: WebSocket | undefined
  let waiting: Buffer[] = []
  let waitingBytes = 0
  let unsent = 0
  let ending: Closing | undefined

  const end = (why: Closing): void => {
    if (ending !== undefined) return
    ending = why
    waiting = []
    if (socket !== undefined) close(socket, why)
  }

  const tooSlow = (): void => {
    counts.tooSlow()
    end(closing.tooSlow)
  }

  const wait = (message: Buffer): void => {
    waiting.push(message)
    waitingBytes += message.length
    if (waiting.length > bufferedMessagesMax || waitingBytes > bufferedBytesMax) tooSlow()
  }

  const sendNow = (open: WebSocket, message: Buffer): void => {
    unsent += 1
    open.send(message, { binary: false }, () => (unsent -= 1))
    counts.sent()
    if (unsent > bufferedMessagesMax || open.bufferedAmount > bufferedBytesMax) tooSlow()
  }

  const send = (message: Buffer): void => {
    if (ending !== undefined) return
    if (socket === undefined) wait(message)
    else sendNow(socket, message)
  }

  return {
    send,
    end,
    attach(opened) {
      socket = opened
      if (ending !== undefined) return close(opened, ending)
      for (const message of waiting.splice(0)) send(message)
    },
  }
}

function close(socket: WebSocket, why: Closing): void {
  socket.close(why.code, why.reason)
  // Who is too slow reads the close frame late, after all that was sent before: ws waits 30 s for that.
  if (why !== closing.tooSlow) setTimeout(() => socket.terminate(), closeTimeoutMs).unref()
}
