// What an owner asks of the coordinator of its transactional id: explicit transactions of protocol version 1, which 3.9 to 4.3
// all answer.
import { addPartitionsToTxnV3, endTxnV3, initProducerIdV4 } from '@platformatic/kafka'

import { errorName, eventually } from './cluster.ts'
import type { Cluster, Place } from './cluster.ts'

/** Who writes: the broker takes batches with the newest epoch of this id only. */
export type Identity = { readonly id: bigint; readonly epoch: number }

export type Fence = {
  /** What stands in the marker of the fence. */
  readonly marker: Identity
  /** Who may write from now on. */
  readonly owner: Identity
}

const TRANSACTION_TIMEOUT_MS = 10_000

// One partition that isn't there yet makes OPERATION_NOT_ATTEMPTED of all others.
const PASSING =
  /COORDINATOR|CONCURRENT_TRANSACTIONS|UNKNOWN_TOPIC_OR_PARTITION|OPERATION_NOT_ATTEMPTED|NetworkError|TimeoutError/

const isPassing = (error: unknown): boolean => PASSING.test(errorName(error))

/** Asks the coordinator again while it only says «not now». */
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

/** The next epoch of the transactional id; with `own`, for who has it already. */
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

/** Answered before the markers are written. */
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

/** Takes the partitions from whoever writes them under this transactional id. */
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
