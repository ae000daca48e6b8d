// The open connections of one purpose, at most one to each address. Opening is shared by all who want the
// same, and after a failure nobody tries that address again for a moment, so that a broker which is down
// isn't stormed by the partitions that wait for it.

import { createConnection } from './connection.ts'
import type { Connection } from './connection.ts'
import type { Address, Sockets } from './socket.ts'
import { createThrottle } from './throttle.ts'
import type { Throttle } from './throttle.ts'
import { KafkaError } from '../errors.ts'

export type Connections = {
  /** One that can be used right now, if there is. */
  get(address: Address): Connection | undefined
  /** Rejects when it can't be had; nothing has been sent then. */
  open(address: Address): Promise<Connection>
  /** Ends them at once. */
  close(): void
}

const PAUSE_AFTER_FAILURE_MS = 50

export function createConnections(sockets: Pick<Sockets, 'open'>): Connections {
  const connections = new Map<string, Connection>()
  const opening = new Map<string, Promise<Connection>>()
  const failedAtMs = new Map<string, number>()
  // A broker's, not a connection's: who comes back by another one is put off as before.
  const throttles = new Map<string, Throttle>()
  let isClosed = false

  function get(address: Address): Connection | undefined {
    const name = nameOf(address)
    const connection = connections.get(name)
    if (!connection || connection.isOpen()) return connection
    connections.delete(name)
    connection.retire()
    return undefined
  }

  async function openNow(address: Address): Promise<Connection> {
    const name = nameOf(address)
    try {
      const throttle = throttles.get(name) ?? createThrottle()
      throttles.set(name, throttle)
      const connection = createConnection(await sockets.open(address), throttle)
      if (isClosed) connection.drop('closed')
      failedAtMs.delete(name)
      connections.set(name, connection)
      return connection
    } catch (error) {
      failedAtMs.set(name, performance.now())
      throw error
    } finally {
      opening.delete(name)
    }
  }

  return {
    get,
    async open(address) {
      const connection = get(address)
      if (connection) return connection
      const name = nameOf(address)
      if (
        isClosed ||
        performance.now() - (failedAtMs.get(name) ?? -Infinity) < PAUSE_AFTER_FAILURE_MS
      ) {
        throw new KafkaError('kafka.connection_lost', 'the broker cannot be reached')
      }
      const pending = opening.get(name) ?? openNow(address)
      opening.set(name, pending)
      return pending
    },
    close() {
      isClosed = true
      for (const connection of connections.values()) connection.drop('closed')
      connections.clear()
    },
  }
}

function nameOf(address: Address): string {
  return `${address.host}:${address.port}`
}
