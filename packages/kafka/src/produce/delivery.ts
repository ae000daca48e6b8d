// Delivers one batch to its partition's leader and reports the outcome. A batch that may be stored is retried with the
// same bytes until the broker reports the outcome, or the time-out has passed. A batch that is certainly not stored may
// be sent again in any form.
import { backoff, delay } from '@weir/kit'

import { isOver, startOver } from './batch.ts'
import type { WireBatch } from './batch.ts'
import type { Places, BatchPlace } from './places.ts'
import type { ProduceRequests } from './requests.ts'
import type { ProduceAnswer } from '../protocol/produce-wire.ts'
import type { BatchProducerId } from '../protocol/record-batch.ts'
import { KafkaError } from '../errors.ts'

export type DeliveryOutcome =
  | { readonly kind: 'stored'; readonly offset: bigint }
  | { readonly kind: 'too_large' }
  /** Certainly not stored. */
  | { readonly kind: 'not_stored'; readonly cause: unknown }
  /** May or may not be stored. */
  | { readonly kind: 'unknown'; readonly cause: unknown }
  /**
   * The broker refuses the producer's identity or its sequence numbers. An earlier attempt may have stored the batch.
   */
  | { readonly kind: 'fenced'; readonly cause: unknown }
  /** The time-out has passed, and the batch is certainly not stored. */
  | { readonly kind: 'over' }

export type Delivery<Batch extends WireBatch = WireBatch> = (
  batch: Batch,
) => Promise<DeliveryOutcome>

export type DeliveryParts<Batch extends WireBatch> = {
  readonly places: Places
  readonly requests: Pick<ProduceRequests, 'send'>
  /** Returns the producer id and sequence number for a batch that has none. */
  readonly identify: (batch: Batch, broker: number) => Promise<BatchProducerId>
  /**
   * Called before the retry of a batch that was refused for its producer identity or sequence numbers. Without this
   * function the refusal is final.
   */
  readonly renumber?: (batch: Batch) => void
}

type Again = { readonly kind: 'again'; readonly cause: unknown }

const TOO_LARGE: DeliveryOutcome = { kind: 'too_large' }
const OVER: DeliveryOutcome = { kind: 'over' }

const PAUSES = { minMs: 10, firstMs: 50, maxMs: 500 }

export function createDelivery<Batch extends WireBatch>(
  parts: DeliveryParts<Batch>,
): Delivery<Batch> {
  return async (batch) => {
    let pauses: Generator<number, never, void> | undefined
    for (;;) {
      if (isToEnd(batch)) return endOf(batch)
      const outcome = await attempt(parts, batch)
      if (outcome.kind !== 'again') return outcome
      batch.trouble = outcome.cause
      if (isToEnd(batch)) return endOf(batch)
      pauses ??= backoff(PAUSES)
      await delay(pauses.next().value)
    }
  }
}

const isToEnd = (batch: WireBatch): boolean => !batch.maySendAgain || isOver(batch)

function endOf(batch: WireBatch): DeliveryOutcome {
  const cause = batch.trouble
  if (batch.isDoubtful) return { kind: 'unknown', cause }
  return isOver(batch) ? OVER : { kind: 'not_stored', cause }
}

async function attempt<Batch extends WireBatch>(
  parts: DeliveryParts<Batch>,
  batch: Batch,
): Promise<DeliveryOutcome | Again> {
  const { places, requests } = parts
  const wasDoubtful = batch.isDoubtful
  try {
    const known = places.find(batch.topic, batch.partition)
    const { leader, topicId } = known ?? (await findPlace(places, batch))
    batch.topicId ??= topicId
    if (batch.topicId !== topicId) return inAnotherTopic(batch)
    batch.producer ??= await parts.identify(batch, leader)
    if (isToEnd(batch)) return endOf(batch)
    const answer = await requests.send(leader, batch)
    if (answer.errorCode === NONE) return { kind: 'stored', offset: answer.baseOffset }
    return refuse(parts, batch, { answer, wasDoubtful })
  } catch (cause) {
    places.forget(batch.topic)
    return { kind: 'again', cause }
  }
}

async function findPlace(places: Places, { topic, partition }: WireBatch): Promise<BatchPlace> {
  await places.refresh(topic)
  const place = places.find(topic, partition)
  if (place) return place
  throw new KafkaError('kafka.no_leader', 'the partition has no leader or does not exist')
}

/** A batch for a deleted topic must not get into the next topic of the same name. */
function inAnotherTopic(batch: WireBatch): DeliveryOutcome {
  const cause = new KafkaError('kafka.refused', 'another topic has this name now')
  return batch.isDoubtful ? { kind: 'unknown', cause } : { kind: 'not_stored', cause }
}

// --- the meaning of Kafka's error codes ---

const NONE = 0
const TOO_LARGE_CODES: ReadonlySet<number> = new Set([
  10, // MESSAGE_TOO_LARGE
  18, // RECORD_LIST_TOO_LARGE
])
const REFUSED_CODES: ReadonlySet<number> = new Set([
  3, // UNKNOWN_TOPIC_OR_PARTITION
  5, // LEADER_NOT_AVAILABLE
  6, // NOT_LEADER_OR_FOLLOWER
  9, // REPLICA_NOT_AVAILABLE
  19, // NOT_ENOUGH_REPLICAS
  29, // TOPIC_AUTHORIZATION_FAILED
  74, // FENCED_LEADER_EPOCH
  75, // UNKNOWN_LEADER_EPOCH
  100, // UNKNOWN_TOPIC_ID
  103, // INCONSISTENT_TOPIC_ID
])
const FENCED_CODES: ReadonlySet<number> = new Set([
  47, // INVALID_PRODUCER_EPOCH
  90, // PRODUCER_FENCED
])
/**
 * After a retry, these codes don't say whether the batch is stored, because a restarted broker knows only the last
 * batch.
 */
const OUT_OF_SEQUENCE_CODES: ReadonlySet<number> = new Set([
  45, // OUT_OF_ORDER_SEQUENCE_NUMBER
  46, // DUPLICATE_SEQUENCE_NUMBER
  59, // UNKNOWN_PRODUCER_ID
])
const NOT_APPENDED = -1n

type Refusal = { readonly answer: ProduceAnswer; readonly wasDoubtful: boolean }

/**
 * A leader may return the same code if it refuses a batch, or if it has appended the batch and then loses its
 * leadership or its topic. In the second case the response contains the batch's offset. With that offset, or with a
 * code that isn't listed above, the outcome is unknown, and the batch is retried.
 */
function refuse<Batch extends WireBatch>(
  { places, renumber }: DeliveryParts<Batch>,
  batch: Batch,
  { answer: { errorCode, baseOffset }, wasDoubtful }: Refusal,
): DeliveryOutcome | Again {
  const cause = new KafkaError('kafka.refused', `Kafka answered with error ${errorCode}`)
  const isAppended = baseOffset !== NOT_APPENDED
  const isTooLarge = !isAppended && TOO_LARGE_CODES.has(errorCode)
  const isFenced = FENCED_CODES.has(errorCode)
  const isOutOfSequence = OUT_OF_SEQUENCE_CODES.has(errorCode)
  const isRefused = !isAppended && REFUSED_CODES.has(errorCode)
  if (!wasDoubtful && (isTooLarge || isFenced || isOutOfSequence || isRefused)) startOver(batch)
  if (batch.isDoubtful && (isTooLarge || isOutOfSequence)) return { kind: 'unknown', cause }
  if (isTooLarge) return TOO_LARGE
  if (isFenced || isOutOfSequence) {
    if (batch.isDoubtful || renumber === undefined) return { kind: 'fenced', cause }
    renumber(batch)
  }
  places.forget(batch.topic)
  return { kind: 'again', cause }
}
