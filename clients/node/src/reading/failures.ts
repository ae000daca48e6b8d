// Decides whether an error of kafkajs is final or temporary for the reader of a topic. Checks all causes, because
// kafkajs wraps errors in errors.
import { ReadError } from '../errors.ts'
import { groupHint, topicHint } from './hints.ts'
import { silence } from './timing.ts'

/** Kafka does not say whether a topic exists if the client may not read it. */
const hidingTypes: readonly unknown[] = [
  'TOPIC_AUTHORIZATION_FAILED',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'INVALID_TOPIC_EXCEPTION',
]

const groupNotFound = 'KafkaJSGroupCoordinatorNotFound'

/** These errors are temporary, even if `retriable` is false: a new cluster has no coordinator at first. */
const temporaryNames: readonly unknown[] = ['KafkaJSNumberOfRetriesExceeded', groupNotFound]

export type Read = {
  readonly topic: string
  readonly groupId: string
  readonly brokers: readonly string[]
  /** The last token that was used. */
  readonly token: string | undefined
}

/** Returns undefined for a temporary error. */
export function finalErrorOf(error: unknown, read: Read): ReadError | undefined {
  const causes = causesOf(error)
  const ours = causes.find((each) => each instanceof ReadError)
  if (ours !== undefined) return ours
  if (causes.some(({ type }) => hidingTypes.includes(type))) {
    const message = `the topic ${read.topic} does not exist, or these credentials may not read it${topicHint(read)}`
    return new ReadError('not_readable', message, error)
  }
  const refusal =
    causes.findLast(
      ({ retriable, name }) => retriable === false && !temporaryNames.includes(name),
    ) ?? causes.find(({ name }) => name === groupNotFound && groupHint(read) !== '')
  if (refusal === undefined) return undefined
  const hint =
    refusal.type === 'ILLEGAL_SASL_STATE' ? "; is this Kafka's listener for analysts?" : ''
  return new ReadError('refused', textOf(refusal, read) + hint, error)
}

export function unreachable(error: unknown, read: Read): ReadError {
  const cause = causesOf(error).at(-1)
  const reason = cause === undefined ? silence : textOf(cause, read)
  const isUnclear = reason === silence || (reason === 'Closed connection' && !read.token)
  const hint = isUnclear ? '; are tls and token what this listener needs?' : ''
  const brokers = read.brokers.join(', ')
  const message =
    cause?.name === groupNotFound
      ? `Kafka at ${brokers} names ${reason}`
      : `Kafka is unreachable at ${brokers}: ${reason}${hint}`
  return new ReadError('unreachable', message, error)
}

type Cause = { readonly [name in 'name' | 'message' | 'type' | 'code' | 'retriable']?: unknown }

/** Returns the error and its causes, the outermost first. */
function causesOf(error: unknown): Cause[] {
  const causes: Cause[] = []
  for (let each = error; typeof each === 'object' && each !== null; each = Object(each).cause) {
    if (causes.includes(each)) break
    causes.push(each)
  }
  return causes
}

/** Returns the message with its code, because Node's message is empty when it has tried several addresses of a host. */
function textOf({ name: kind, message, type, code }: Cause, read: Read): string {
  // kafkajs hides Kafka's response.
  if (kind === groupNotFound)
    return `no coordinator for the consumer group, or the credentials may not use groups of this name${groupHint(read)}`
  if (type === 'GROUP_AUTHORIZATION_FAILED')
    return `the credentials may not use groups of this name${groupHint(read)} (${type})`
  const text = (typeof message === 'string' ? message : '').replace(/^Connection error: ?/, '')
  const name = type ?? (typeof code === 'string' ? code : undefined)
  return typeof name !== 'string' || text.includes(name) ? text : `${name} ${text}`.trimEnd()
}
