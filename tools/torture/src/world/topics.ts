// Reads topics without proxies. Records that are deleted here, as if by retention, are kept before, so that an input
// topic can be checked completely.
import { createAdmin, createRangeReader } from '@weir/kafka'
import type { Admin, Kafka, SourceRecord } from '@weir/kafka'

import { deleteRecords } from './delete-records.ts'
import { createReadUncommitted } from './read-uncommitted.ts'

export type Topics = {
  admin: Admin
  ends(topic: string): Promise<bigint[]>
  /** All committed records of a partition in order, including those that were deleted here. */
  read(topic: string, partition: number): Promise<SourceRecord[]>
  /** All records of a partition, as most readers see them, including aborted records and those of open transactions. */
  readUncommitted(topic: string, partition: number): Promise<SourceRecord[]>
  /** Deletes the records before these offsets, one per partition. */
  takeAway(topic: string, before: readonly bigint[]): Promise<void>
  close(): Promise<void>
}

/** `port` is the port of the broker that leads all partitions, if there is one. */
export function openTopics(kafka: Kafka, port: number): Topics {
  const admin = createAdmin(kafka)
  const reader = createRangeReader(kafka)
  const takenFrom = createTaken()
  const ends = (topic: string) => admin.offsets.ends(topic, { isolation: 'read_committed' })

  const readRange = async (topic: string, partition: number, to: bigint | undefined) => {
    const records: SourceRecord[] = []
    const from = (await admin.offsets.earliest(topic))[partition] ?? 0n
    const range = { topic, partition, from, to: to ?? (await ends(topic))[partition] ?? 0n }
    await reader.read(range, (some) => void records.push(...some))
    return records
  }

  return {
    admin,
    ends,
    readUncommitted: createReadUncommitted(kafka, admin),
    async read(topic, partition) {
      const kept = takenFrom(topic, partition)
      const last = kept.at(-1)?.offset ?? -1n
      const present = await readRange(topic, partition, undefined)
      return [...kept, ...present.filter(({ offset }) => offset > last)]
    },
    async takeAway(topic, before) {
      for (const [partition, to] of before.entries()) {
        const kept = takenFrom(topic, partition)
        const last = kept.at(-1)?.offset ?? -1n
        const leaving = await readRange(topic, partition, to)
        for (const record of leaving) if (record.offset > last) kept.push(record)
      }
      await deleteRecords(port, topic, before)
    },
    async close() {
      await reader.close()
      await admin.close()
    },
  }
}

function createTaken(): (topic: string, partition: number) => SourceRecord[] {
  const taken = new Map<string, SourceRecord[]>()
  return (topic, partition) => {
    const place = `${topic}/${partition}`
    const records = taken.get(place) ?? []
    taken.set(place, records)
    return records
  }
}
