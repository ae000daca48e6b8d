// Makes the handle that every other function of this package takes: where the brokers are, how to get in,
// who asks. It opens no connection. It protects what holds for every client: no topic is ever made by
// asking for it, small requests aren't held back by Nagle, and no two clients share kafkajs's state.
import * as net from 'node:net'
import * as tls from 'node:tls'

import { Kafka as KafkaJs } from 'kafkajs'
import type { ISocketFactory } from 'kafkajs'
import Cluster from 'kafkajs/src/cluster/index.js'

import type { Log } from '@weir/kit'

import '../protocol/compressed-records.ts'
import './kafkajs-shields.ts'
import { hasSockets, trackSockets } from './close-client.ts'
import type { ClientSockets } from './close-client.ts'
import { makeHandle } from './internals.ts'
import type {
  ClientSettings,
  DeletedTopics,
  Kafka,
  SocketOpener,
  SocketTarget,
} from './internals.ts'
import type { KafkaAccess } from './kafka-access.ts'
import { bridgeLog, logSettings } from './kafkajs-log.ts'
import { mechanismOf } from './login.ts'
import { toRetryOptions } from './retries.ts'
import { createTroubles } from './troubles.ts'
import type { Troubles } from './troubles.ts'

export type { Kafka } from './internals.ts'

export type KafkaOptions = KafkaAccess & { readonly clientId: string; readonly log: Log }

const CONNECTION_TIMEOUT_MS = 3_000
const REQUEST_TIMEOUT_MS = 15_000
const METADATA_AGE_MAX_MS = 300_000
const KEEP_ALIVE_MS = 60_000
const SECRETS_IN_CLEAR: readonly string[] = ['PLAIN', 'OAUTHBEARER']

export function createKafka(options: KafkaOptions): Kafka {
  return createKafkaOver(connectSocket, options)
}

/** The same over sockets of the caller's, for tests that cut them. */
export function createKafkaOver(openSocket: SocketOpener, options: KafkaOptions): Kafka {
  const kafkajsLog = bridgeLog(options.log)
  const isTls = options.tls !== undefined
  const troubles = createTroubles(options.log, { isTls, mechanism: options.login?.mechanism })
  const open = watched(openSocket, options, troubles)
  warnOfClearText(options)
  const config = configFor(options, troubles)

  function openCluster(settings: ClientSettings): Cluster {
    const sockets = trackSockets(open)
    const cluster = new Cluster({
      ...config(settings, sockets),
      ...CLUSTER_DEFAULTS,
      logger: kafkajsLog,
      maxInFlightRequests: settings.maxInFlightRequests ?? null,
      offsets: new Map(),
    })
    return hasSockets(cluster, sockets)
  }

  return makeHandle({
    log: options.log,
    kafkajsLog,
    cluster: openCluster,
    consumer({ retries, requestTimeoutMs, maxInFlightRequests, ...settings }) {
      const sockets = trackSockets(open)
      // A kafkajs instance for each: those of one instance share a table of committed offsets.
      const own = config({ retries, requestTimeoutMs }, sockets)
      const kafkajs = new KafkaJs({ ...own, ...logSettings(options.log) })
      const retry = { ...toRetryOptions(retries), restartOnFailure: () => Promise.resolve(false) }
      const consumer = kafkajs.consumer({
        ...settings,
        ...(maxInFlightRequests === undefined ? {} : { maxInFlightRequests }),
        retry,
        allowAutoTopicCreation: false,
      })
      return hasSockets(consumer, sockets)
    },
    deletedTopics: createDeletedTopics(),
    troubles,
  })
}

function warnOfClearText({ tls: secure, login, log }: KafkaOptions): void {
  if (secure === undefined && login && SECRETS_IN_CLEAR.includes(login.mechanism))
    log.warn('KAFKA_TLS is not set: the login to Kafka is sent in clear text')
}

const CLUSTER_DEFAULTS = {
  metadataMaxAge: METADATA_AGE_MAX_MS,
  allowAutoTopicCreation: false,
}

function configFor(options: KafkaOptions, troubles: Troubles) {
  const sasl = options.login && mechanismOf(options.login, troubles)
  return (settings: ClientSettings, sockets: ClientSockets) => ({
    brokers: [...options.brokers],
    clientId: options.clientId,
    ...(sasl ? { sasl } : {}),
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: settings.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    enforceRequestTimeout: true,
    retry: toRetryOptions(settings.retries),
    socketFactory: sockets.open satisfies ISocketFactory,
  })
}

/** TLS is put on here and not by kafkajs, which would keep the first certificates for good. */
function watched(openSocket: SocketOpener, { tls: secure }: KafkaOptions, troubles: Troubles) {
  return (target: SocketTarget): net.Socket => {
    const socket = openSocket(secure ? { ...target, ssl: secure() } : target)
    troubles.watch(socket, target)
    return socket
  }
}

export function connectSocket({ host, port, ssl, onConnect }: SocketTarget): net.Socket {
  const servername = net.isIP(host) ? {} : { servername: host }
  const socket = ssl
    ? tls.connect({ host, port, ...servername, ...ssl }, onConnect)
    : net.connect({ host, port }, onConnect)
  socket.setNoDelay(true)
  socket.setKeepAlive(true, KEEP_ALIVE_MS)
  return socket
}

function createDeletedTopics(): DeletedTopics {
  const listeners = new Set<(topic: string) => void>()
  return {
    announce(topic) {
      for (const listener of listeners) listener(topic)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
