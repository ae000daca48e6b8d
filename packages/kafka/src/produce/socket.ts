// Opens sockets to brokers: the batch producer's only use of kafkajs, and the only place of it that knows
// kafkajs's inner parts. kafkajs connects, does TLS and SASL and asks for the broker's versions; then the
// bare socket is ours. Its producer isn't used: it tries again, merges partitions into one request, drops
// the offset of a refused batch, and one deleted topic fails its metadata (docs/architecture.md 5 and 9).
import type { Socket } from 'node:net'

import { withTimeout } from '@weir/kit'

import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import { VERSIONS_NEEDED } from '../protocol/produce-wire.ts'
import { NO_RETRIES } from '../connect/retries.ts'
import { KafkaError } from '../errors.ts'

export type Address = { readonly host: string; readonly port: number }

export type OpenSocket = {
  readonly socket: Socket
  readonly clientId: string
  /** With SASL a session ends at some time; a connection is replaced before. */
  isAuthenticated(): boolean
}

export type Sockets = {
  open(address: Address): Promise<OpenSocket>
  /** The bootstrap brokers in turn. */
  nextSeed(): Promise<Address>
}

export function createSockets(kafka: Kafka, openTimeoutMs: number): Sockets {
  const parts = innerParts(
    internalsOf(kafka).cluster({ retries: NO_RETRIES, requestTimeoutMs: openTimeoutMs }),
  )
  const pools = parts.connectionPoolBuilder
  return {
    async nextSeed() {
      const { host, port } = await pools.build()
      return { host, port }
    },
    async open(address) {
      // A pool of its own for each socket: kafkajs's connections keep half an answer across reconnects.
      const pool = await pools.build(address)
      const broker = parts.brokerPool.createBroker({
        connectionPool: pool,
        logger: parts.rootLogger,
      })
      const connection = pool.pool[0]
      try {
        await withTimeout(broker.connect(), openTimeoutMs, 'connecting to a Kafka broker')
        requireVersions(broker.versions)
        return {
          socket: takeOver(connection),
          clientId: pool.clientId,
          isAuthenticated: () => isValid(connection),
        }
      } catch (error) {
        giveUp(connection)
        throw error
      }
    },
  }
}

function requireVersions(versions: KafkajsBroker['versions']): void {
  for (const [apiKey, version] of Object.entries(VERSIONS_NEEDED)) {
    const offered = versions?.[apiKey]
    if (!offered || offered.minVersion > version || offered.maxVersion < version) {
      throw new KafkaError(
        'kafka.unsupported_broker',
        `the broker does not speak ${apiKey}/${version}`,
      )
    }
  }
}

function isValid(connection: KafkajsConnection): boolean {
  return !connection.sasl || connection.isAuthenticated()
}

// kafkajs goes on listening for the end of the socket, harmlessly, but no longer for data.
function takeOver(connection: KafkajsConnection): Socket {
  const { socket } = connection
  if (!socket || socket.destroyed)
    throw new KafkaError('kafka.connection_lost', 'the connection was lost')
  connection.requestQueue.destroy()
  socket.pause()
  socket.removeAllListeners('data')
  return socket
}

function giveUp(connection: KafkajsConnection): void {
  connection.rejectRequests(new Error('given up'))
  connection.requestQueue.destroy()
  connection.socket?.destroy()
}

// --- what is used of kafkajs 2.2.4 beyond its types ---

type KafkajsConnection = {
  socket?: Socket
  sasl: unknown
  isAuthenticated(): boolean
  requestQueue: { destroy(): void }
  rejectRequests(error: Error): void
}
type KafkajsPool = Address & { clientId: string; pool: [KafkajsConnection, KafkajsConnection] }
type KafkajsBroker = {
  connect(): Promise<void>
  versions: Record<string, { minVersion: number; maxVersion: number }> | null
}
type ClusterParts = {
  rootLogger: unknown
  connectionPoolBuilder: { build(address?: Address): Promise<KafkajsPool> }
  brokerPool: {
    createBroker(options: { connectionPool: KafkajsPool; logger: unknown }): KafkajsBroker
  }
}

// kafkajs ships these parts without types; test/batch-producer checks each of them against a broker.
function innerParts(cluster: unknown): ClusterParts {
  return cluster as ClusterParts
}
