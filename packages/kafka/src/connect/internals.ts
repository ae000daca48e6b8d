// What a Kafka handle stands for inside this package: kafkajs clients made with the settings that
// docs/architecture.md 9 asks of every one of them. Never exported from the package.
import type { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'

import type { Consumer, ConsumerConfig, ISocketFactoryArgs, Logger } from 'kafkajs'
import type Cluster from 'kafkajs/src/cluster/index.js'

import type { Log } from '@weir/kit'

import type { Retries } from './retries.ts'
import type { Troubles } from './troubles.ts'

declare const opaque: unique symbol

/** A connection's settings. Give it to the functions of this package; it has nothing to call. */
export type Kafka = { readonly [opaque]: true }

// kafkajs's types say that `ssl` is always there; it isn't for plain connections.
export type SocketTarget = Omit<ISocketFactoryArgs, 'ssl'> & { ssl?: ConnectionOptions | null }

export type SocketOpener = (target: SocketTarget) => Socket

export type ClientSettings = {
  readonly retries: Retries
  readonly requestTimeoutMs?: number | undefined
  readonly maxInFlightRequests?: number
}

export type ConsumerSettings = ClientSettings &
  Omit<ConsumerConfig, 'retry' | 'allowAutoTopicCreation' | 'maxInFlightRequests'>

/** All of these are closed by `closeClient`. */
export type Internals = {
  readonly log: Log
  readonly kafkajsLog: Logger
  /** Connections, metadata and single requests, for what kafkajs's own clients can't say. */
  cluster(settings: ClientSettings): Cluster
  consumer(settings: ConsumerSettings): Consumer
  readonly deletedTopics: DeletedTopics
  readonly troubles: Troubles
}

/** Tells producers of this process that a topic is gone, since kafkajs never forgets one by itself. */
export type DeletedTopics = {
  announce(topic: string): void
  subscribe(listener: (topic: string) => void): () => void
}

const handles = new WeakMap<Kafka, Internals>()

export function makeHandle(internals: Internals): Kafka {
  const handle = asOpaque(Object.freeze({}))
  handles.set(handle, internals)
  return handle
}

export function internalsOf(kafka: Kafka): Internals {
  const internals = handles.get(kafka)
  if (!internals) throw new TypeError('not a handle made by createKafka')
  return internals
}

// The brand exists in types only, so no value can have it without being told so.
function asOpaque(value: object): Kafka {
  return value as Kafka
}
