// One connection to one broker. The library connects, frames requests and matches responses. This file negotiates
// versions, logs in, and delays requests while the broker throttles. After KafkaError `kafka.not_sent` a request was
// certainly not sent. If the connection is lost, the outcome of its requests is unknown. If a response takes too long,
// the connection ends with all its requests.
import { isIP } from 'node:net'
import type { ConnectionOptions } from 'node:tls'

import { Connection, apiVersionsV3, loggers } from '#client-library'

import { hasCode } from '@weir/kit'

import { isTlsMissing, protocolTypeOf, throttleIn } from './faults.ts'
import { notSent } from './gate.ts'
import type { SendGate } from './gate.ts'
import type { Login } from './access/login.ts'
import { unsupported, versionFor } from './requests.ts'
import type { KnownVersions, BrokerRequest } from './requests.ts'
import { keepLoggedIn } from './access/session.ts'
import type { Troubles } from './troubles.ts'

export type Address = { readonly host: string; readonly port: number }

export type BrokerConnection = {
  /**
   * Sends requests in the order of the calls. A request that still waits at `untilMs` (of `performance.now`) isn't
   * sent.
   */
  send<Answer>(request: BrokerRequest<Answer>, untilMs: number): Promise<Answer>
  /** False if the connection was lost or retired, or idle for so long that the broker may be closing it. */
  isUsable(): boolean
  /** Takes no further requests, and ends after the last response. */
  retire(): void
  close(): void
}

export type ConnectionSettings = {
  readonly clientId: string
  readonly troubles: Troubles
  readonly tls?: () => ConnectionOptions
  readonly login?: Login
}

type Purpose = { readonly answerWithinMs: number; readonly gate: SendGate }

const CONNECT_TIMEOUT_MS = 3_000
const KEEP_ALIVE_MS = 60_000
const IN_FLIGHT_MAX = 10_000
// Brokers close a connection after 10 minutes without a request. A request sent at that moment would be lost.
const IDLE_MS_MAX = 540_000
// Quota windows last seconds. For very long times, setTimeout fires immediately.
const THROTTLE_MS_MAX = 600_000

// If DEBUG is set, the library's loggers print whole requests, including logins.
for (const logger of Object.values(loggers)) logger.enabled = false

/** Throws KafkaError `kafka.not_sent`, or `kafka.unsupported_broker`. */
export async function openConnection(
  address: Address,
  settings: ConnectionSettings,
  { answerWithinMs, gate }: Purpose,
): Promise<BrokerConnection> {
  const { login, troubles } = settings
  const broker = `${address.host}:${address.port}`
  const connection = makeConnection(address, settings, answerWithinMs)
  try {
    await connect(connection, address, troubles)
    const requests = requestsOn(connection, {
      gate,
      broker,
      known: await versionsOf(connection, broker),
    })
    if (login) {
      const { retire } = requests
      const options = { login, broker, gate, troubles, retire }
      connection.once('close', await keepLoggedIn(connection, options))
    }
    return requests
  } catch (error) {
    end(connection)
    if (settings.tls === undefined && isTlsMissing(error)) troubles.turnedAway(broker)
    if (hasCode(error, 'kafka.unsupported_broker')) throw error
    throw notSent(`there is no connection to ${broker}`, error)
  }
}

function makeConnection(
  { host }: Address,
  { clientId, tls }: ConnectionSettings,
  answerWithinMs: number,
): Connection {
  const secure = tls?.()
  const servername = isIP(host) === 0 ? { servername: host } : {}
  return new Connection(clientId, {
    connectTimeout: CONNECT_TIMEOUT_MS,
    requestTimeout: answerWithinMs,
    maxInflights: IN_FLIGHT_MAX,
    ...(secure && { tls: { ...servername, ...secure } }),
  })
}

async function connect(
  connection: Connection,
  address: Address,
  troubles: Troubles,
): Promise<void> {
  // The callers of pending requests get the error. Without a listener, the error event would end the process.
  connection.on('error', () => undefined)
  const connected = connection.connect(address.host, address.port)
  connection.socket.setKeepAlive(true, KEEP_ALIVE_MS)
  troubles.watch(connection.socket, address)
  await connected
}

async function versionsOf(connection: Connection, broker: string): Promise<KnownVersions> {
  try {
    return (await apiVersionsV3.api.async(connection, 'weir', '1')).apiKeys
  } catch (error) {
    if (protocolTypeOf(error) === 'UNSUPPORTED_VERSION')
      throw unsupported(broker, 'ApiVersions in version 3')
    throw error
  }
}

type Facts = { readonly gate: SendGate; readonly broker: string; readonly known: KnownVersions }

function requestsOn(connection: Connection, { gate, broker, known }: Facts): BrokerConnection {
  let inFlight = 0
  let usedAtMs = performance.now()
  let isRetired = false

  async function sendNow<Answer>(request: BrokerRequest<Answer>): Promise<Answer> {
    const { send } = versionFor(request, known, broker)
    if (!connection.isConnected()) throw notSent(`the connection to ${broker} was lost`)
    inFlight += 1
    usedAtMs = performance.now()
    try {
      return throttledBy(gate, await send(connection))
    } catch (error) {
      throw throttledBy(gate, error)
    } finally {
      inFlight -= 1
      usedAtMs = performance.now()
      if (isRetired) retire()
    }
  }

  function retire(): void {
    isRetired = true
    if (inFlight === 0) end(connection)
  }

  return {
    send: (request, untilMs) => gate.pass(() => sendNow(request), untilMs),
    isUsable() {
      const isIdle = inFlight === 0 && performance.now() - usedAtMs > IDLE_MS_MAX
      return connection.isConnected() && !isRetired && !isIdle
    },
    retire,
    close: () => end(connection),
  }
}

/**
 * Shuts the gate for the throttle time of the outcome, because the broker must get no request during this time
 * (KIP-219).
 */
function throttledBy<T>(gate: SendGate, outcome: T): T {
  const throttledMs = Math.min(throttleIn(outcome), THROTTLE_MS_MAX)
  if (throttledMs > 0) setTimeout(gate.shut(), throttledMs)
  return outcome
}

// The library's own close ignores a connection that could not be opened. If opening threw immediately, there is no
// socket.
function end({ socket }: Partial<Connection>): void {
  socket?.destroy()
}
