// What an error of kafkajs means: Kafka's own name for it, and whether trying again may help. kafkajs wraps
// errors in one another, so all of these look through the causes. It decides nothing.
import { KafkaError } from '../errors.ts'

type ProtocolError = Error & { type: string; retriable: boolean }

const NEVER_PASSING = [
  'KafkaJSServerDoesNotSupportApiKey',
  'KafkaJSNotImplemented',
  'KafkaJSInvariantViolation',
]

const WRAPPINGS_MAX = 8

/** Kafka's name for what went wrong, such as UNKNOWN_TOPIC_OR_PARTITION, when a broker said it. */
export function protocolTypeOf(error: unknown): string | undefined {
  return chainOf(error).find(isProtocolError)?.type
}

/** True when the same request may succeed later: the broker said so, or no broker said anything. */
export function isRetriable(error: unknown): boolean {
  const chain = chainOf(error)
  const protocolError = chain.find(isProtocolError)
  if (protocolError) return protocolError.retriable
  if (chain.some((link) => NEVER_PASSING.includes(link.name))) return false
  return chain.some((link) => link.name.startsWith('KafkaJS'))
}

export function isFromBroker(error: unknown): boolean {
  return chainOf(error).some(isProtocolError)
}

export function unavailable(what: string, cause?: unknown): KafkaError {
  return new KafkaError('kafka.unavailable', `Kafka could not ${what} in time`, { cause })
}

export function refused(what: string, cause: unknown): KafkaError {
  const reason = protocolTypeOf(cause) ?? 'an error of the client'
  return new KafkaError('kafka.refused', `Kafka refused to ${what}: ${reason}`, { cause })
}

function chainOf(error: unknown): Error[] {
  const chain: Error[] = []
  for (let link = error; link instanceof Error && chain.length < WRAPPINGS_MAX;) {
    chain.push(link)
    link = 'errors' in link && Array.isArray(link.errors) ? link.errors[0] : link.cause
  }
  return chain
}

function isProtocolError(error: Error): error is ProtocolError {
  return 'type' in error && typeof error.type === 'string' && 'retriable' in error
}
