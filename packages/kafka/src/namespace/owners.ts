// The functions for owners of partitions. Callers use names without the handle's prefix.
import { createPositions } from '../admin/positions.ts'
import type { Position, Positions } from '../admin/positions.ts'
import type { Kafka } from '../connect/internals.ts'
import { createFencer } from '../fence/acquire.ts'
import type { Fencer } from '../fence/acquire.ts'
import { createLogSearch } from '../read/log-search.ts'
import type { LogSearch } from '../read/log-search.ts'
import { namesOf } from './prefix.ts'

export function createNamedFencer(kafka: Kafka): Fencer {
  const { full, inFull } = namesOf(kafka)
  const { acquire, renew, close } = createFencer(kafka)
  return {
    acquire: (acquiring) =>
      acquire({
        ...acquiring,
        transactionalId: full(acquiring.transactionalId),
        partitions: acquiring.partitions.map(inFull),
      }),
    renew: (transactionalId, identity) => renew(full(transactionalId), identity),
    close,
  }
}

export function createNamedLogSearch(kafka: Kafka): LogSearch {
  const { inFull } = namesOf(kafka)
  const { findLast, close } = createLogSearch(kafka)
  return {
    findLast: (before, read) => findLast(inFull(before), read),
    close,
  }
}

export function createNamedPositions(kafka: Kafka): Positions {
  const { full, own, inFull } = namesOf(kafka)
  const { commit, read, close } = createPositions(kafka)
  const toOwn = (one: Position): Position => ({ ...one, topic: own(one.topic) ?? one.topic })
  return {
    commit: async (groupId, positions) =>
      (await commit(full(groupId), positions.map(inFull))).map(toOwn),
    async read(groups) {
      const found = await read(
        groups.map(({ groupId, partitions }) => ({
          groupId: full(groupId),
          partitions: partitions.map(inFull),
        })),
      )
      return new Map(
        groups.map(({ groupId }) => [groupId, (found.get(full(groupId)) ?? []).map(toOwn)]),
      )
    },
    close,
  }
}
