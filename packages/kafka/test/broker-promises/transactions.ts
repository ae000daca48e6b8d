// An owner's requests to the coordinator of its transactional id, for explicit transactions of version 1. Kafka 3.9 to
// 4.3 support them.
import { addPartitionsToTxnV3, endTxnV3, initProducerIdV4 } from '@platformatic/kafka'

import { errorName, eventually } from './cluster.ts'
import type { Cluster, Place } from './cluster.ts'

/** A writer's producer id and epoch. The broker refuses batches with an older epoch than it knows. */
export type Identity = { readonly id: bigint; readonly epoch: number }

export type Fence = {
  readonly marker: Identity
  /** The identity for all further writes. */
  readonly owner: Identity
}

const TRANSACTION_TIMEOUT_MS = 10_000

// If one partition is missing, the response says OPERATION_NOT_ATTEMPTED for the rest.
const PASSING =
  /COORDINATOR|CONCURRENT_TRANSACTIONS|UNKNOWN_TOPIC_OR_PARTITION|OPERATION_NOT_ATTEMPTED|NetworkError|TimeoutError/

const isPassing = (error: unknown): boolean => PASSING.test(errorName(error))

/** Retries after retriable errors and connection errors. */
async function ask<T>(
  cluster: Cluster,
  transactionalId: string,
  request: (connection: Awaited<ReturnType<Cluster['coordinator']>>) => Promise<T>,
): Promise<T> {
  const answered = await eventually(`an answer about ${transactionalId}`, async () => {
    try {
      return { value: await request(await cluster.coordinator('transaction', transactionalId)) }
    } catch (error) {
      if (isPassing(error)) throw error
      return { error }
    }
  })
  if ('error' in answered) throw answered.error
  return answered.value
}

/**
 * Requests the next epoch of the transactional id, with `own` as its present holder. Without a transactional id,
 * requests a new producer id.
 */
export function initProducerId(
  cluster: Cluster,
  transactionalId: string | null,
  own: Identity = { id: -1n, epoch: -1 },
): Promise<Identity> {
  const key = transactionalId ?? 'nobody'
  return ask(cluster, key, async (connection) => {
    const request = [transactionalId, TRANSACTION_TIMEOUT_MS, own.id, own.epoch] as const
    const answer = await initProducerIdV4.api.async(connection, ...request)
    return { id: answer.producerId, epoch: answer.producerEpoch }
  })
}

export async function addPartitions(
  cluster: Cluster,
  transactionalId: string,
  { id, epoch }: Identity,
  places: readonly Place[],
): Promise<void> {
  const topics = places.map(({ topic, partition }) => ({ name: topic, partitions: [partition] }))
  const transaction = { transactionalId, producerId: id, producerEpoch: epoch, verifyOnly: false }
  await ask(cluster, transactionalId, (connection) =>
    addPartitionsToTxnV3.api.async(connection, [{ ...transaction, topics }]),
  )
}

/** May resolve before the markers are written. */
export async function endTransaction(
  cluster: Cluster,
  transactionalId: string,
  { id, epoch }: Identity,
  outcome: 'commit' | 'abort',
): Promise<void> {
  await ask(cluster, transactionalId, (connection) =>
    endTxnV3.api.async(connection, transactionalId, id, epoch, outcome === 'commit'),
  )
}

/** Fences former writers of the partitions with this transactional id. */
export async function fence(
  cluster: Cluster,
  transactionalId: string,
  places: readonly Place[],
): Promise<Fence> {
  const marker = await initProducerId(cluster, transactionalId)
  await addPartitions(cluster, transactionalId, marker, places)
  await endTransaction(cluster, transactionalId, marker, 'abort')
  return { marker, owner: await initProducerId(cluster, transactionalId) }
}
