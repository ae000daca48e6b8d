// A handle is a name space: every topic, group, transactional id and ACL of who uses it stands in Kafka under the
// handle's prefix, so that several Weirs, or a Weir and others, share a cluster (docs/operations.md, Sharing a cluster).
// Callers of this package use names without it, and see no others.
import { createKafka } from '../connect/client.ts'
import type { Kafka, KafkaOptions } from '../connect/client.ts'

// Kafka's own topics, such as __consumer_offsets.
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
  /** Without the prefix; undefined for what isn't of this name space. */
  own(fullName: string): string | undefined
  /** The same of a topic by its full name. */
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
