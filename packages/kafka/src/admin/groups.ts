// Reads the committed offsets of consumer groups, deletes groups, and fences transactional ids.
import { deleteGroupsV2 } from '#client-library'

import type { BrokerCalls } from '../connect/broker-calls.ts'
import { protocolTypeOf } from '../connect/faults.ts'
import type { Kafka } from '../connect/internals.ts'
import { requestOf } from '../connect/requests.ts'
import { fenceOnce } from '../fence/fence.ts'
import type { FormerHolder } from '../fence/fence.ts'
import { committedOffsets } from '../connect/topic-calls.ts'
import { KafkaError } from '../errors.ts'

export type Groups = {
  /** Returns the group's committed offsets by partition, undefined where it never committed. Doesn't join the group. */
  committedOffsets(groupId: string, topic: string): Promise<(bigint | undefined)[]>
  /** Throws KafkaError `kafka.group_not_empty` while the group has members. */
  delete(groupId: string): Promise<'deleted' | 'absent'>
  /**
   * Ends the open transaction of this transactional id, and fences its producer. But if no transaction was open, Kafka
   * writes no marker, so the producer can still write batches without a transaction. Use `Fencer` against such writers.
   */
  fence(transactionalId: string): Promise<FormerHolder>
}

export function createGroups(kafka: Kafka, calls: BrokerCalls): Groups {
  return {
    committedOffsets: (groupId, topic) =>
      calls.run('read committed offsets', (brokers) => committedOffsets(brokers, groupId, topic)),

    delete: (groupId) =>
      calls.run('delete a group', async (brokers) => {
        try {
          await brokers.ask({ group: groupId }, requestOf(deleteGroupsV2.api, [groupId]))
          return 'deleted'
        } catch (error) {
          const type = protocolTypeOf(error)
          if (type === 'GROUP_ID_NOT_FOUND') return 'absent'
          throw type === 'NON_EMPTY_GROUP' ? groupNotEmpty(groupId) : error
        }
      }),

    fence: (transactionalId) => fenceOnce(kafka, transactionalId),
  }
}

function groupNotEmpty(groupId: string): KafkaError {
  return new KafkaError('kafka.group_not_empty', `the group ${groupId} still has members`)
}
