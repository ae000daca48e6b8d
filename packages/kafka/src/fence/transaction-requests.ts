// Sends the requests of one transactional producer, each to the responsible broker. Adds partitions to a transaction
// explicitly, because all supported broker versions accept that. Retries requests as in while-refused.ts.
import { addPartitionsToTxnV3, endTxnV3, initProducerIdV4 } from '#client-library'

import { leaderOf } from '../connect/topic-calls.ts'
import { askBrokers } from '../connect/broker-calls.ts'
import type { KafkaBrokers } from '../connect/broker-calls.ts'
import type { Cluster } from '../connect/cluster.ts'
import { requestOf } from '../connect/requests.ts'
import type { BrokerRequest } from '../connect/requests.ts'
import { LEADER_MOVED, createPartitionLeaders } from './partition-leaders.ts'
import type { PartitionLeaders } from './partition-leaders.ts'
import { whileRefused } from './while-refused.ts'
import { offsetIn, produceRequest } from './transaction-produce.ts'
import type { ProducerIdentity, TransactionBatch } from './transaction-produce.ts'

export type TopicPartitions = { readonly topic: string; readonly partitions: number[] }

export type TransactionRequests = {
  /**
   * Ends the transaction of the id's former producer, and fences that producer. With `own`, Kafka refuses the request
   * if another producer has acquired the id since.
   */
  init(
    transactionalId: string,
    timeoutMs: number,
    own?: Omit<ProducerIdentity, 'transactionalId'>,
  ): Promise<ProducerIdentity>
  addPartitions(identity: ProducerIdentity, topics: readonly TopicPartitions[]): Promise<void>
  /** Returns the offset of the first record. */
  produce(identity: ProducerIdentity, batch: TransactionBatch): Promise<bigint>
  end(identity: ProducerIdentity, isCommit: boolean): Promise<void>
}

const BUSY: readonly string[] = [
  'CONCURRENT_TRANSACTIONS',
  'COORDINATOR_LOAD_IN_PROGRESS',
  'NOT_COORDINATOR',
  'COORDINATOR_NOT_AVAILABLE',
]
const NOT_APPENDED: readonly string[] = [...LEADER_MOVED, 'NOT_ENOUGH_REPLICAS']

export function createTransactionRequests(
  brokers: KafkaBrokers,
  leaders: PartitionLeaders,
): TransactionRequests {
  const toCoordinator = <T>(
    target: { readonly transactionalId: string },
    request: BrokerRequest<T>,
  ): Promise<T> => whileRefused(BUSY, () => brokers.ask(target, request))

  return {
    async init(transactionalId, timeoutMs, own) {
      const identity = [own?.producerId, own?.producerEpoch] as const
      const request = requestOf(initProducerIdV4.api, transactionalId, timeoutMs, ...identity)
      const { producerId, producerEpoch } = await toCoordinator({ transactionalId }, request)
      return { transactionalId, producerId, producerEpoch }
    },
    async addPartitions(identity, topics) {
      const added = topics.map(({ topic, partitions }) => ({ name: topic, partitions }))
      const transaction = { ...identity, verifyOnly: false, topics: added }
      await toCoordinator(identity, requestOf(addPartitionsToTxnV3.api, [transaction]))
    },
    produce: (identity, batch) =>
      whileRefused(NOT_APPENDED, async (lastRefusal) => {
        if (LEADER_MOVED.includes(lastRefusal)) leaders.forget(batch.topic)
        await leaders.learn([batch.topic])
        const leader = leaderOf(leaders.partition(batch.topic, batch.partition))
        return offsetIn(await brokers.ask(leader, produceRequest(identity, batch)))
      }),
    async end(identity, isCommit) {
      await toCoordinator(identity, requestOf(endTxnV3.api, ...partsOf(identity), isCommit))
    },
  }
}

/** Sends no request after `untilMs` (of `performance.now`). */
export function requestsUntil(cluster: Cluster, untilMs: number): TransactionRequests {
  const brokers = askBrokers(cluster, 'transactions', () => untilMs)
  return createTransactionRequests(brokers, createPartitionLeaders(brokers))
}

const partsOf = ({ transactionalId, producerId, producerEpoch }: ProducerIdentity) =>
  [transactionalId, producerId, producerEpoch] as const
