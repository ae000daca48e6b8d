// Creates the handle that other functions of this package take. It stands for one Kafka cluster. Opens no connection.
import type { Log } from '@weir/kit'

import type { Address } from './broker-connection.ts'
import { createCluster } from './cluster.ts'
import { createConnections } from './connections.ts'
import { makeHandle } from './internals.ts'
import type { DeletedTopics, Kafka } from './internals.ts'
import type { KafkaAccess } from './access/kafka-access.ts'
import { createTroubles } from './troubles.ts'

export type { Kafka } from './internals.ts'

export type KafkaOptions = KafkaAccess & { readonly clientId: string; readonly log: Log }

const SECRETS_IN_CLEAR: readonly string[] = ['PLAIN', 'OAUTHBEARER']

export function createKafka(options: KafkaOptions): Kafka {
  const { log, login, tls } = options
  const troubles = createTroubles(log, { isTls: tls !== undefined, mechanism: login?.mechanism })
  warnOfClearText(options)
  return makeHandle({
    log,
    cluster: createCluster(seedsOf(options), createConnections({ ...options, troubles })),
    deletedTopics: createDeletedTopics(),
    troubles,
  })
}

/** Splits at the last colon, because an IPv6 address contains colons, too. */
const seedsOf = ({ brokers }: KafkaOptions): Address[] =>
  brokers.map((broker) => {
    const at = broker.lastIndexOf(':')
    const host = broker.slice(0, at).replace(/^\[(.*)\]$/, '$1')
    return { host, port: Number(broker.slice(at + 1)) }
  })

function warnOfClearText({ tls, login, log }: KafkaOptions): void {
  if (tls === undefined && login && SECRETS_IN_CLEAR.includes(login.mechanism))
    log.warn('KAFKA_TLS is not set: the login to Kafka is sent in clear text')
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
