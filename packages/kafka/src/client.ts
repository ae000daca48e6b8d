// Makes the handle that every other function of this package takes: where the brokers are, how to get in,
// who asks. It opens no connection. It protects what holds for every client: no topic is ever made by
// asking for it, small requests aren't held back by Nagle, and no two clients share kafkajs's state.
import * as net from 'node:net'
import * as tls from 'node:tls'

import { Kafka as KafkaJs } from 'kafkajs'
import type { ISocketFactory, SASLOptions } from 'kafkajs'
import Cluster from 'kafkajs/src/cluster/index.js'

import type { Log } from '@weir/kit'

import './kafkajs-shields.ts'
import { hasSockets, trackSockets } from './close-client.ts'
import type { ClientSockets } from './close-client.ts'
import { makeHandle } from './internals.ts'
import type { ClientSettings, DeletedTopics, Kafka, OpenSocket, SocketTarget } from './internals.ts'
import { bridgeLog, logSettings } from './kafkajs-log.ts'
import { toRetryOptions } from './retries.ts'

export type { Kafka } from './internals.ts'

export type KafkaOptions = {
  readonly brokers: readonly string[]
  readonly clientId: string
  readonly log: Log
  readonly tls?: tls.ConnectionOptions
  readonly sasl?: SASLOptions
}

const CONNECTION_TIMEOUT_MS = 3_000
const REQUEST_TIMEOUT_MS = 15_000
const METADATA_AGE_MAX_MS = 300_000
const KEEP_ALIVE_MS = 60_000

export function createKafka(options: KafkaOptions): Kafka {
  return createKafkaOver(connectSocket, options)
}

/** The same over sockets of the caller's, for tests that cut them. */
export function createKafkaOver(openSocket: OpenSocket, options: KafkaOptions): Kafka {
  const kafkajsLog = bridgeLog(options.log)

  function openCluster(settings: ClientSettings): Cluster {
    const sockets = trackSockets(openSocket)
    const cluster = new Cluster({
      ...configFor(options, settings, sockets),
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
      const sockets = trackSockets(openSocket)
      // A kafkajs instance for each: those of one instance share a table of committed offsets.
      const kafkajs = new KafkaJs({
        ...configFor(options, { retries, requestTimeoutMs }, sockets),
        ...logSettings(options.log),
      })
      const consumer = kafkajs.consumer({
        ...settings,
        ...(maxInFlightRequests === undefined ? {} : { maxInFlightRequests }),
        retry: { ...toRetryOptions(retries), restartOnFailure: () => Promise.resolve(false) },
        allowAutoTopicCreation: false,
      })
      return hasSockets(consumer, sockets)
    },
    deletedTopics: createDeletedTopics(),
  })
}

const CLUSTER_DEFAULTS = {
  metadataMaxAge: METADATA_AGE_MAX_MS,
  allowAutoTopicCreation: false,
}

function configFor(options: KafkaOptions, settings: ClientSettings, sockets: ClientSockets) {
  return {
    brokers: [...options.brokers],
    clientId: options.clientId,
    ...(options.tls ? { ssl: options.tls } : {}),
    ...(options.sasl ? { sasl: options.sasl } : {}),
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: settings.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    enforceRequestTimeout: true,
    retry: toRetryOptions(settings.retries),
    socketFactory: sockets.open satisfies ISocketFactory,
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
