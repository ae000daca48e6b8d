// The connections of one handle: at most one per purpose and broker, opened on demand and shared. A separate purpose
// exists only for requests that must not wait for others, because a broker processes the requests of a connection one
// by one.
import type { Log } from '@weir/kit'

import { openConnection } from './broker-connection.ts'
import type { Address, BrokerConnection, ConnectionSettings } from './broker-connection.ts'
import { createSendGate } from './gate.ts'

/**
 * Milliseconds after which an unanswered request ends its connection. `control` is for short requests. `hot` and `cold`
 * are for the two fetch sessions, `pool` is for most fetches without a session. The producer may end its connection
 * earlier. There are only six purposes, because a broker limits the connections of a host.
 */
const ANSWER_WITHIN_MS = {
  control: 15_000,
  produce: 60_000,
  hot: 10_000,
  cold: 10_000,
  pool: 10_000,
  transactions: 10_000,
} as const

export type Purpose = keyof typeof ANSWER_WITHIN_MS

export type Connections = {
  /** Throws KafkaError `kafka.not_sent`, or `kafka.unsupported_broker`. */
  open(address: Address, purpose: Purpose): Promise<BrokerConnection>
  isOpen(address: Address, purpose: Purpose): boolean
  /** Retires the connections to all other addresses. */
  keepOnly(addresses: readonly Address[]): void
  close(): void
}

// Within this time after a failure, callers get the same error, so that they don't flood a broker that is down.
const PAUSE_AFTER_FAILURE_MS = 50

export function createConnections(
  settings: ConnectionSettings & { readonly log: Log },
): Connections {
  const opening = new Map<string, Promise<BrokerConnection>>()
  const opened = new Map<string, BrokerConnection>()
  // One gate per broker and purpose. A new connection gets the same gate, because throttling also applies to it.
  const gateOf = remembered(createSendGate)

  const usable = (name: string) => usableIn(opened, name)

  function keep(name: string, attempt: Promise<BrokerConnection>): Promise<BrokerConnection> {
    const isWanted = () => opening.get(name) === attempt
    opening.set(name, attempt)
    attempt.then(
      (connection) => {
        if (!isWanted()) return connection.close()
        opening.delete(name)
        opened.set(name, connection)
      },
      () => setTimeout(() => isWanted() && opening.delete(name), PAUSE_AFTER_FAILURE_MS).unref(),
    )
    return attempt
  }

  return {
    async open(address, purpose) {
      const name = nameOf(address, purpose)
      const known = usable(name) ?? opening.get(name)
      if (known) return known
      const options = { answerWithinMs: ANSWER_WITHIN_MS[purpose], gate: gateOf(name) }
      const attempt = openConnection(address, settings, options)
      tellOpened(settings.log, name, attempt)
      return keep(name, attempt)
    },
    isOpen: (address, purpose) => usable(nameOf(address, purpose)) !== undefined,
    keepOnly: (addresses) => retireOthers(opened, new Set(addresses.map(placeOf))),
    close() {
      opening.clear()
      for (const connection of opened.values()) connection.close()
      opened.clear()
    },
  }
}

function tellOpened(log: Log, connection: string, attempt: Promise<unknown>): void {
  attempt.then(
    () => log.debug({ connection }, 'a connection to Kafka is open'),
    () => undefined,
  )
}

function usableIn(opened: Map<string, BrokerConnection>, name: string) {
  const connection = opened.get(name)
  if (connection === undefined || connection.isUsable()) return connection
  opened.delete(name)
  connection.retire()
  return undefined
}

function retireOthers(opened: Map<string, BrokerConnection>, places: ReadonlySet<string>): void {
  for (const [name, connection] of opened) {
    if (places.has(name.slice(name.lastIndexOf(' ') + 1))) continue
    opened.delete(name)
    connection.retire()
  }
}

function remembered<T>(make: () => T): (name: string) => T {
  const known = new Map<string, T>()
  return (name) => {
    const value = known.get(name) ?? make()
    known.set(name, value)
    return value
  }
}

const placeOf = ({ host, port }: Address): string => `${host}:${port}`

const nameOf = (address: Address, purpose: Purpose): string => `${purpose} ${placeOf(address)}`
