// What a Kafka handle stands for inside this package. Never exported from the package.
import type { Log } from '@weir/kit'

import type { Cluster } from './cluster.ts'
import type { Troubles } from './troubles.ts'

declare const opaque: unique symbol

/** A connection's settings. Give it to the functions of this package; it has nothing to call. */
export type Kafka = { readonly [opaque]: true }

export type Internals = {
  readonly log: Log
  readonly cluster: Cluster
  readonly deletedTopics: DeletedTopics
  readonly troubles: Troubles
}

/** Tells producers of this process that a topic is gone. */
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
