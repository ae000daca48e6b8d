// Fetches one partition once from its leader, without a session, for look-ups. Throws Kafka's own error for the
// partition.
import { ProtocolError } from '#client-library'

import type { KafkaBrokers } from '../connect/broker-calls.ts'
import type { Purpose } from '../connect/connections.ts'
import { requestOf } from '../connect/requests.ts'
import { fetchApi } from '../protocol/fetch.ts'
import type { FetchedPartition } from '../protocol/fetch.ts'
import { KafkaError } from '../errors.ts'

export type LedPartition = {
  readonly topicId: string
  readonly partition: number
  /** The broker's id. */
  readonly leader: number
}

export type FetchOnce = {
  readonly from: bigint
  readonly bytesMax: number
  /** How long the broker may wait for the first byte. */
  readonly waitMs: number
  readonly isCommittedOnly: boolean
  readonly purpose: Purpose
}

const NO_SESSION = { id: 0, epoch: -1 }

export async function fetchOnce(
  brokers: KafkaBrokers,
  { topicId, partition, leader }: LedPartition,
  { from, bytesMax, waitMs, isCommittedOnly, purpose }: FetchOnce,
): Promise<FetchedPartition> {
  const wanted = { partition, from, leaderEpoch: -1, lastEpoch: -1, bytesMax }
  const request = requestOf(fetchApi, {
    waitMs,
    bytesMax,
    isCommittedOnly,
    session: NO_SESSION,
    topics: [{ topicId, partitions: [wanted] }],
    forgotten: [],
  })
  const answer = await brokers.ask(leader, request, purpose)
  const [fetched] = answer.partitions
  const errorCode = answer.errorCode || (fetched?.errorCode ?? 0)
  if (errorCode !== 0) throw new ProtocolError(errorCode)
  if (!fetched)
    throw new KafkaError('kafka.not_found', "a partition is missing from a broker's response")
  return fetched
}
