// Classifies errors of the client library: finds Kafka's name for an error, and whether a retry may help. The library
// nests errors, so the causes are searched, too.
import { ProtocolError } from '#client-library'

import { hasCode } from '@weir/kit'

import { KafkaError } from '../errors.ts'

/** A failed login. The message tells the operator the reason, and contains no secret. */
export class LoginFailed extends Error {}

type Refusal = { readonly type: string; readonly isRetriable: boolean }

const CONNECTION_LOST = 'PLT_KFK_NETWORK'
const USED_WRONGLY = 'PLT_KFK_USER'

const WRAPPINGS_MAX = 8

/**
 * Returns Kafka's name for the error, such as UNKNOWN_TOPIC_OR_PARTITION, or undefined for an error of another kind.
 */
export function protocolTypeOf(error: unknown): string | undefined {
  return refusalIn(error)?.type
}

/** True if the same request may succeed later: the broker said so, or no broker responded. */
export function isRetriable(error: unknown): boolean {
  const chain = chainOf(error)
  if (chain.some((link) => hasCode(link, 'kafka.not_sent'))) return true
  const refusal = refusalIn(error)
  if (refusal) return refusal.isRetriable
  return chain.some((link) => codeOf(link) === CONNECTION_LOST)
}

export function isFromBroker(error: unknown): boolean {
  return refusalIn(error) !== undefined
}

/** Returns whether a broker responded with TLS to a connection without TLS. */
export function isTlsMissing(error: unknown): boolean {
  return chainOf(error).some((link) => codeOf(link) === USED_WRONGLY)
}

/** Returns the throttle time in a response or error, in milliseconds, or 0 if there is none. */
export function throttleIn(outcome: unknown): number {
  if (typeof outcome !== 'object' || outcome === null) return 0
  if ('throttleTimeMs' in outcome) return Number(outcome.throttleTimeMs)
  return 'response' in outcome ? throttleIn(outcome.response) : 0
}

export function brokerUnavailable(what: string, cause?: unknown): KafkaError {
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
    link = 'errors' in link && Array.isArray(link.errors) ? firstOf(link.errors) : link.cause
  }
  return chain
}

/** Returns the first error. Skips parts that Kafka didn't attempt because another part failed. */
const firstOf = (errors: readonly unknown[]): unknown =>
  errors.find((error) => Object(error).apiId !== 'OPERATION_NOT_ATTEMPTED') ?? errors[0]

function refusalIn(error: unknown): Refusal | undefined {
  for (const link of chainOf(error)) {
    if (link instanceof ProtocolError)
      return { type: String(link['apiId']), isRetriable: link['canRetry'] === true }
  }
  return undefined
}

const codeOf = (error: Error): unknown => ('code' in error ? error.code : undefined)
