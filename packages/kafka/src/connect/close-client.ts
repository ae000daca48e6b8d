// Closing a kafkajs client for good. kafkajs waits for answers that may never come, and then leaves its
// sockets open; requests that are still about connect anew. So each client's sockets are known here, and
// after a while they are destroyed, whatever kafkajs thinks.
import type { Socket } from 'node:net'

import { withTimeout } from '@weir/kit'

import type { SocketOpener } from './internals.ts'

export type ClientSockets = { open: SocketOpener; destroy(): void }

type Client = { disconnect(): Promise<unknown> }

const TIMEOUT_MS = 2_000

const socketsOf = new WeakMap<Client, ClientSockets>()

export function trackSockets(openSocket: SocketOpener): ClientSockets {
  const sockets = new Set<Socket>()
  let isClosed = false
  return {
    open(target) {
      if (isClosed) throw new Error('this client is closed')
      const socket = openSocket(target)
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      return socket
    },
    destroy() {
      isClosed = true
      for (const socket of sockets) socket.destroy()
    },
  }
}

export function hasSockets<T extends Client>(client: T, sockets: ClientSockets): T {
  socketsOf.set(client, sockets)
  return client
}

/** Resolves, never rejects, when nothing of the client is left. */
export async function closeClient(client: Client, timeoutMs = TIMEOUT_MS): Promise<void> {
  await withTimeout(client.disconnect(), timeoutMs, 'closing').catch(() => undefined)
  socketsOf.get(client)?.destroy()
}
