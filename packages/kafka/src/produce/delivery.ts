// Brings one batch to its partition's leader and says what became of it. The rule it protects: a batch goes
// out again only after an answer which proves that the broker did not append it, or when it was never
// written at all; in every other case the outcome is unknown and that is the end of it.
import { backoff, delay, hasCode } from '@weir/kit'

import type { Connections } from './connections.ts'
import type { Connection } from './connection.ts'
import { isOver } from './lane.ts'
import type { Batch } from './lane.ts'
import type { Leaders } from './leaders.ts'
import type { ProduceRequests } from './requests.ts'
import type { ProduceAnswer } from '../protocol/produce-wire.ts'
import { KafkaError } from '../errors.ts'

export type Outcome =
  | { readonly kind: 'stored' }
  | { readonly kind: 'too_large' }
  /** Certainly not stored. */
  | { readonly kind: 'not_stored'; readonly cause: unknown }
  /** May or may not be stored. */
  | { readonly kind: 'unknown'; readonly cause: unknown }
  /** Every record had its answer before the batch could be sent. */
  | { readonly kind: 'over' }

export type Delivery = (batch: Batch) => Promise<Outcome>

export type DeliveryParts = {
  readonly leaders: Leaders
  readonly connections: Connections
  readonly requests: Pick<ProduceRequests, 'send'>
}

type Refused = { readonly kind: 'refused'; readonly cause: unknown }

const STORED: Outcome = { kind: 'stored' }
const TOO_LARGE: Outcome = { kind: 'too_large' }
const OVER: Outcome = { kind: 'over' }

const PAUSES = { minMs: 10, firstMs: 50, maxMs: 500 }

export function createDelivery(parts: DeliveryParts): Delivery {
  return async (batch) => {
    let pauses: Generator<number, never, void> | undefined
    for (;;) {
      const outcome = await attempt(parts, batch)
      if (outcome.kind !== 'refused') return outcome
      if (!batch.maySendAgain) return { kind: 'not_stored', cause: outcome.cause }
      batch.trouble = outcome.cause
      if (isOver(batch)) return OVER
      pauses ??= backoff(PAUSES)
      await delay(pauses.next().value)
      if (isOver(batch)) return OVER
    }
  }
}

async function attempt(parts: DeliveryParts, batch: Batch): Promise<Outcome | Refused> {
  const { leaders, connections } = parts
  let connection: Connection
  try {
    const leader = leaders.leaderOf(batch.topic, batch.partition)
    connection = (leader && connections.get(leader)) ?? (await connectToLeader(parts, batch))
  } catch (cause) {
    return { kind: 'refused', cause }
  }
  if (isOver(batch)) return OVER
  try {
    const outcome = judge(await parts.requests.send(connection, batch))
    if (outcome.kind === 'refused') leaders.forget(batch.topic)
    return outcome
  } catch (cause) {
    if (hasCode(cause, 'kafka.not_sent')) return { kind: 'refused', cause }
    leaders.forget(batch.topic)
    return { kind: 'unknown', cause }
  }
}

async function connectToLeader(parts: DeliveryParts, batch: Batch): Promise<Connection> {
  const { leaders, connections } = parts
  const { topic, partition } = batch
  if (!leaders.leaderOf(topic, partition)) await leaders.refresh(topic)
  const leader = leaders.leaderOf(topic, partition)
  if (!leader)
    throw new KafkaError('kafka.no_leader', 'the partition has no leader or does not exist')
  try {
    return await connections.open(leader)
  } catch (error) {
    leaders.forget(topic)
    throw error
  }
}

// --- what Kafka's answers mean ---

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
  74, // FENCED_LEADER_EPOCH
  75, // UNKNOWN_LEADER_EPOCH
])
const NOT_APPENDED = -1n

type Verdict = Pick<ProduceAnswer, 'errorCode' | 'baseOffset'>

/**
 * A leader that loses its office, or its topic, while it waits for the replicas answers with the same code
 * as one that refused the batch; but then the answer carries the offset at which the batch was appended.
 */
function judge({ errorCode, baseOffset }: Verdict): Outcome | Refused {
  if (errorCode === NONE) return STORED
  const cause = new KafkaError('kafka.refused', `Kafka answered with error ${errorCode}`)
  if (baseOffset === NOT_APPENDED) {
    if (TOO_LARGE_CODES.has(errorCode)) return TOO_LARGE
    if (REFUSED_CODES.has(errorCode)) return { kind: 'refused', cause }
  }
  return { kind: 'unknown', cause }
}
