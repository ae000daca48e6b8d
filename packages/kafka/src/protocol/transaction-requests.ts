// The requests of one transactional producer, each to the broker that is responsible for it. kafkajs speaks
// them; its own producer isn't used, because it counts sequence numbers back after an error, asks for each
// coordinator before every request, and copies the records of a batch over and over. A request that Kafka
// has refused for certain, for a reason that passes, is sent again; any other error is the caller's.
import type { Broker } from 'kafkajs/src/broker/index.js'
import type Cluster from 'kafkajs/src/cluster/index.js'

import { delay } from '@weir/kit'

import { protocolTypeOf } from '../connect/faults.ts'
import { encodeTransactionalProduce } from './transaction-produce.ts'
import type { ProducerIdentity, TransactionBatch } from './transaction-produce.ts'

export type TopicPartitions = { readonly topic: string; readonly partitions: number[] }

export type GroupOffsets = {
  readonly groupId: string
  readonly topic: string
  readonly offsets: ReadonlyMap<number, bigint>
}

export type TransactionRequests = {
  /** Ends what a former producer of this id had begun, and fences it. */
  init(transactionalId: string, timeoutMs: number): Promise<ProducerIdentity>
  addPartitions(identity: ProducerIdentity, topics: readonly TopicPartitions[]): Promise<void>
  addGroup(identity: ProducerIdentity, groupId: string): Promise<void>
  /** The offset of the first record. */
  produce(identity: ProducerIdentity, batch: TransactionBatch): Promise<bigint>
  commitOffsets(identity: ProducerIdentity, offsets: GroupOffsets): Promise<void>
  end(identity: ProducerIdentity, isCommit: boolean): Promise<void>
}

const TRANSACTION = 1
const GROUP = 0
const ATTEMPTS_MAX = 30
const PAUSE_MAX_MS = 100

const COORDINATOR_MOVED: readonly string[] = [
  'NOT_COORDINATOR_FOR_GROUP',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
]
const COORDINATOR_BUSY: readonly string[] = ['CONCURRENT_TRANSACTIONS', 'GROUP_LOAD_IN_PROGRESS']
const LEADER_MOVED: readonly string[] = [
  'NOT_LEADER_FOR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'UNKNOWN_TOPIC_OR_PARTITION',
]
const NOT_APPENDED: readonly string[] = [...LEADER_MOVED, 'NOT_ENOUGH_REPLICAS']

export function createTransactionRequests(cluster: Cluster): TransactionRequests {
  const toCoordinator = createCoordinators(cluster)
  const toOwnCoordinator = <T>(id: string, ask: (coordinator: Broker) => Promise<T>) =>
    toCoordinator(id, TRANSACTION, ask)

  return {
    init: (transactionalId, timeoutMs) =>
      toOwnCoordinator(transactionalId, async (coordinator) => {
        const request = { transactionalId, transactionTimeout: timeoutMs }
        const { producerId, producerEpoch } = await coordinator.initProducerId(request)
        return { transactionalId, producerId, producerEpoch }
      }),
    addPartitions: (identity, topics) =>
      toOwnCoordinator(identity.transactionalId, async (coordinator) => {
        await coordinator.addPartitionsToTxn({ ...identity, topics: [...topics] })
      }),
    addGroup: (identity, groupId) =>
      toOwnCoordinator(identity.transactionalId, async (coordinator) => {
        await coordinator.addOffsetsToTxn({ ...identity, groupId })
      }),
    produce: (identity, batch) => produce(cluster, identity, batch),
    commitOffsets: (identity, { groupId, topic, offsets }) =>
      toCoordinator(groupId, GROUP, async (coordinator) => {
        const partitions = [...offsets].map(([partition, offset]) => ({
          partition,
          offset: offset.toString(),
        }))
        const topics = [{ topic, partitions }]
        await coordinator.txnOffsetCommit({ ...identity, groupId, topics })
      }),
    end: (identity, isCommit) =>
      toOwnCoordinator(identity.transactionalId, async (coordinator) => {
        await coordinator.endTxn({ ...identity, transactionResult: isCommit })
      }),
  }
}

type AskCoordinator = <T>(
  groupId: string,
  coordinatorType: 0 | 1,
  ask: (coordinator: Broker) => Promise<T>,
) => Promise<T>

/** Asks the coordinator of a group or a transaction, which is looked for once, and anew when it has moved. */
function createCoordinators(cluster: Cluster): AskCoordinator {
  const coordinators = new Map<string, Broker>()

  async function findCoordinator(groupId: string, coordinatorType: 0 | 1): Promise<Broker> {
    const key = `${coordinatorType}/${groupId}`
    const known = coordinators.get(key)
    if (known?.isConnected()) return known
    const found = await cluster.findGroupCoordinator({ groupId, coordinatorType })
    coordinators.set(key, found)
    return found
  }

  function toCoordinator<T>(
    groupId: string,
    coordinatorType: 0 | 1,
    ask: (coordinator: Broker) => Promise<T>,
  ): Promise<T> {
    return whileRefused([...COORDINATOR_BUSY, ...COORDINATOR_MOVED], async (lastRefusal) => {
      if (COORDINATOR_MOVED.includes(lastRefusal)) {
        coordinators.delete(`${coordinatorType}/${groupId}`)
      }
      return ask(await findCoordinator(groupId, coordinatorType))
    })
  }

  return toCoordinator
}

const produce = (
  cluster: Cluster,
  identity: ProducerIdentity,
  batch: TransactionBatch,
): Promise<bigint> =>
  whileRefused(NOT_APPENDED, async (lastRefusal) => {
    if (LEADER_MOVED.includes(lastRefusal)) await cluster.refreshMetadata()
    const leader = await findLeader(cluster, batch.topic, batch.partition)
    const call = encodeTransactionalProduce(identity, batch)
    const { topics } = await leader.connectionPool.send(call)
    return BigInt(topics[0]?.partitions[0]?.baseOffset ?? 0)
  })

async function findLeader(cluster: Cluster, topic: string, partition: number): Promise<Broker> {
  const metadata = cluster.findTopicPartitionMetadata(topic)
  const leader = metadata.find(({ partitionId }) => partitionId === partition)?.leader
  if (leader === undefined) throw new TypeError(`${topic} has no partition ${partition}`)
  return cluster.findBroker({ nodeId: leader })
}

async function whileRefused<T>(
  passing: readonly string[],
  ask: (lastRefusal: string) => Promise<T>,
): Promise<T> {
  let refusal = ''
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await ask(refusal)
    } catch (error) {
      const type = protocolTypeOf(error)
      if (type === undefined || !passing.includes(type) || attempt >= ATTEMPTS_MAX) throw error
      refusal = type
    }
    await delay(Math.min(2 ** attempt, PAUSE_MAX_MS))
  }
}
