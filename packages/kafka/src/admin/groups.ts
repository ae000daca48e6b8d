// Consumer groups and transactional ids: what a group has committed, and the end of both.

import type { BrokerCalls } from '../protocol/broker-calls.ts'
import { protocolTypeOf } from '../connect/faults.ts'
import type { Kafka } from '../connect/internals.ts'
import { fenceOnce } from '../fence/fence.ts'
import { committedOffsets } from './topic-calls.ts'
import { KafkaError } from '../errors.ts'

export type Groups = {
  /** What the group has committed, by partition, without joining it; undefined where it never did. */
  committedOffsets(groupId: string, topic: string): Promise<(bigint | undefined)[]>
  /** KafkaError `kafka.group_not_empty` while it has members. */
  delete(groupId: string): Promise<'deleted' | 'absent'>
  /** Ends the open transaction of whoever has this transactional id, and fences it. */
  fence(transactionalId: string): Promise<void>
}

export function createGroups(kafka: Kafka, calls: BrokerCalls): Groups {
  return {
    committedOffsets: (groupId, topic) =>
      calls.run('read committed offsets', (cluster) => committedOffsets(cluster, groupId, topic)),

    delete: (groupId) =>
      calls.run('delete a group', async (cluster) => {
        const coordinator = await cluster.findGroupCoordinator({ groupId })
        const { results } = await coordinator.deleteGroups([groupId])
        const error = results.find((result) => result.groupId === groupId)?.error
        if (!error) return 'deleted'
        const type = protocolTypeOf(error)
        if (type === 'GROUP_ID_NOT_FOUND') return 'absent'
        if (type === 'NON_EMPTY_GROUP') throw groupNotEmpty(groupId)
        throw error
      }),

    fence: (transactionalId) => fenceOnce(kafka, transactionalId),
  }
}

function groupNotEmpty(groupId: string): KafkaError {
  return new KafkaError('kafka.group_not_empty', `the group ${groupId} still has members`)
}
