// Reads topics without proxies. Deletes records as retention does, but keeps copies, so that an input topic can be
// checked completely.
import { createAdmin, createRangeReader } from '@weir/kafka'
import type { Admin, Kafka, RangeReader, SourceRecord } from '@weir/kafka'

import { deleteRecords } from './delete-records.ts'
import { createReadUncommitted } from './read-uncommitted.ts'

export type Topics = {
  admin: Admin
  ends(topic: string): Promise<bigint[]>
  /** All committed records of a partition in order, including those that `takeAway` deleted. */
  read(topic: string, partition: number): Promise<SourceRecord[]>
  /** The committed records from an offset on that the topic still has. */
  readFrom(topic: string, partition: number, offset: bigint): Promise<SourceRecord[]>
  /** All records of a partition, including aborted records and those of open transactions. */
  readUncommitted(topic: string, partition: number): Promise<SourceRecord[]>
  /** Deletes the records before these offsets, one offset per partition. */
  takeAway(topic: string, before: readonly bigint[]): Promise<void>
  close(): Promise<void>
}

/** `port` is the port of the broker that leads all partitions, if there is one. */
export function openTopics(kafka: Kafka, port: number): Topics {
  const admin = createAdmin(kafka)
  const reader = createRangeReader(kafka)
  const takenFrom = createTaken()
  const readRange = createReadRange(admin, reader)

  return {
    admin,
    ends: (topic) => committedEnds(admin, topic),
    readFrom: (topic, partition, from) => readRange(topic, partition, { from }),
    readUncommitted: createReadUncommitted(kafka, admin),
    async read(topic, partition) {
      const kept = takenFrom(topic, partition)
      const last = kept.at(-1)?.offset ?? -1n
      const present = await readRange(topic, partition, {})
      return [...kept, ...present.filter(({ offset }) => offset > last)]
    },
    async takeAway(topic, before) {
      for (const [partition, to] of before.entries()) {
        const kept = takenFrom(topic, partition)
        const last = kept.at(-1)?.offset ?? -1n
        const leaving = await readRange(topic, partition, { to })
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

type Limits = { readonly from?: bigint; readonly to?: bigint }

function createReadRange(admin: Admin, reader: RangeReader) {
  return async (topic: string, partition: number, limits: Limits): Promise<SourceRecord[]> => {
    const records: SourceRecord[] = []
    const earliest = (await admin.offsets.earliest(topic))[partition] ?? 0n
    const { from = earliest, to = (await committedEnds(admin, topic))[partition] ?? 0n } = limits
    const range = { topic, partition, from: from > earliest ? from : earliest, to }
    if (range.to > range.from) await reader.read(range, (some) => void records.push(...some))
    return records
  }
}

const committedEnds = (admin: Admin, topic: string): Promise<bigint[]> =>
  admin.offsets.ends(topic, { isolation: 'read_committed' })

function createTaken(): (topic: string, partition: number) => SourceRecord[] {
  const taken = new Map<string, SourceRecord[]>()
  return (topic, partition) => {
    const place = `${topic}/${partition}`
    const records = taken.get(place) ?? []
    taken.set(place, records)
    return records
  }
}
