// The internals of the handle that createKafka returns. Only this package may use them: never export them.
import type { Log } from '@weir/kit'

import type { Cluster } from './cluster.ts'
import type { Troubles } from './troubles.ts'

declare const opaque: unique symbol

/** The handle of a Kafka cluster. It has no methods. */
export type Kafka = { readonly [opaque]: true }

export type Internals = {
  readonly log: Log
  readonly cluster: Cluster
  readonly deletedTopics: DeletedTopics
  readonly troubles: Troubles
}

/** Tells the producers of this process that a topic was deleted. */
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

// The brand exists only in types, so a value can get it only by this cast.
function asOpaque(value: object): Kafka {
  return value as Kafka
}
