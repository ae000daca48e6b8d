// Reads all records of a partition, including aborted records and those of open transactions, as Java's consumer does
// by default.
import { createFetcher } from '@weir/kafka'
import type { Admin, Fetcher, FollowTarget, Kafka, SourceRecord } from '@weir/kafka'
import { withTimeout } from '@weir/kit'

const READ_WITHIN_MS = 60_000

/** Reads from the partition's beginning to its end at the time of the call. */
export function createReadUncommitted(kafka: Kafka, { offsets }: Pick<Admin, 'offsets'>) {
  const fetcher = createFetcher(kafka)
  const isolation = 'read_uncommitted'

  return async (topic: string, partition: number): Promise<SourceRecord[]> => {
    const from = (await offsets.earliest(topic))[partition] ?? 0n
    const to = (await offsets.ends(topic, { isolation }))[partition] ?? 0n
    const reading = readUpTo(fetcher, { topic, partition, from, isolation }, to)
    return withTimeout(reading, READ_WITHIN_MS, `reading ${topic}`)
  }
}

async function readUpTo(
  { follow }: Fetcher,
  target: FollowTarget,
  to: bigint,
): Promise<SourceRecord[]> {
  const records: SourceRecord[] = []
  if (target.from >= to) return records
  const read = Promise.withResolvers<void>()
  const lost = (): void => read.reject(new Error(`${target.topic} has changed while it was read`))
  const following = follow(target, {
    onRecords(some, next) {
      records.push(...some.filter(({ offset }) => offset < to))
      if (next >= to) read.resolve()
    },
    onLost: lost,
    onGone: lost,
  })
  await read.promise.finally(() => following.close())
  return records
}
