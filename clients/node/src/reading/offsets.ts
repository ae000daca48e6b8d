// Finds where the partitions of a topic begin, and where their committed records end.
import type { Admin, Kafka } from 'kafkajs'

export type Range = { readonly partition: number; readonly from: bigint; readonly end: bigint }

/** Returns only partitions with offsets to read. */
export const rangesOf = (kafka: Kafka, topic: string, fromMs?: number): Promise<Range[]> =>
  withAdmin(kafka, async (admin) => {
    const bounds = await admin.fetchTopicOffsets(topic)
    const later =
      fromMs === undefined
        ? []
        : // Negative timestamps have special meanings in Kafka.
          await admin.fetchTopicOffsetsByTimestamp(topic, Math.max(0, Math.floor(fromMs)))
    const froms = new Map(later.map(({ partition, offset }) => [partition, offset]))
    return bounds
      .map(({ partition, low, high }) => ({
        partition,
        from: BigInt(froms.get(partition) ?? low),
        end: BigInt(high),
      }))
      .filter(({ from, end }) => from < end)
      .toSorted((a, b) => a.partition - b.partition)
  })

/** Returns the first offset of each partition. */
export const startsOf = (kafka: Kafka, topic: string): Promise<ReadonlyMap<number, bigint>> =>
  withAdmin(kafka, async (admin) => {
    const bounds = await admin.fetchTopicOffsets(topic)
    return new Map(bounds.map(({ partition, low }) => [partition, BigInt(low)]))
  })

async function withAdmin<T>(kafka: Kafka, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = kafka.admin()
  try {
    await admin.connect()
    return await work(admin)
  } finally {
    // Does not wait for `disconnect`, which may itself wait for a response after an error.
    admin.disconnect().catch(() => undefined)
  }
}
