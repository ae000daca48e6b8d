// A handle is a name space: in Kafka, all its topics, groups, transactional ids and ACLs have the handle's prefix. So
// several installations of Weir can share a cluster (docs/operations.md, Sharing a cluster). Callers of this package
// use names without the prefix, and see only names of this name space.
import { createKafka } from '../connect/client.ts'
import type { Kafka, KafkaOptions } from '../connect/client.ts'

// Kafka's own topics, such as __consumer_offsets, have no prefix.
const KAFKAS_OWN = '__'

const prefixes = new WeakMap<Kafka, string>()

export function createNamedKafka(options: KafkaOptions): Kafka {
  const kafka = createKafka(options)
  prefixes.set(kafka, options.prefix ?? '')
  return kafka
}

export const prefixOf = (kafka: Kafka): string => prefixes.get(kafka) ?? ''

export type Names = {
  full(name: string): string
  /** Returns the name without the prefix, or undefined for a name outside this name space. */
  own(fullName: string): string | undefined
  /** Returns a copy of the object with the topic's full name. */
  inFull<Of extends { readonly topic: string }>(one: Of): Of
}

export function namesOf(kafka: Kafka): Names {
  const prefix = prefixOf(kafka)
  const full = (name: string) => (name.startsWith(KAFKAS_OWN) ? name : prefix + name)
  return {
    full,
    own: (name) => (name.startsWith(prefix) ? name.slice(prefix.length) : undefined),
    inFull: (one) => ({ ...one, topic: full(one.topic) }),
  }
}
