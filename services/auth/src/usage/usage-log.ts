// `weir.usage` as it lies in Kafka, read when somebody asks: by stream and time, so that what is read is about
// as much as what was asked for. Nothing of it is kept in memory.
import type { LogOffsets, RangeReader } from '@weir/kafka'
import { parseUsage, usagePartitionOf, usageTopic } from '@weir/control-state'
import type { Usage } from '@weir/control-state'

/** By key, as of the end of what was read; null where it was taken away. */
export type UsageTable = Map<string, Usage | null>

export type UsageLog = {
  /** Of a stream at least everything that lies there about a time. */
  ofStream(streamId: string, times: Times): Promise<UsageTable>
  /** Lays what a partition holds about a time over a table, as far as it is wanted. */
  lay(part: Times & { partition: number; isWanted: IsWanted }, over: UsageTable): Promise<void>
}

/** Of the minutes; what tells of them was written by clocks that differ a little, and some of it later. */
type Times = {
  readonly fromMs: number
  /** To the end when left out. */
  readonly toMs?: number | undefined
}
type IsWanted = (key: string) => boolean

const aroundMs = 10 * 60_000

export function createUsageLog(deps: {
  offsets: Pick<LogOffsets, 'ends' | 'at'>
  reader: Pick<RangeReader, 'read'>
}): UsageLog {
  const { offsets, reader } = deps

  const rangeOf = async (partition: number, { fromMs, toMs }: Times) => {
    const [from, to] = await Promise.all([
      offsets.at(usageTopic, fromMs - aroundMs),
      toMs === undefined
        ? offsets.ends(usageTopic, { isolation: 'read_committed' })
        : offsets.at(usageTopic, toMs + aroundMs),
    ])
    return { topic: usageTopic, partition, from: from[partition] ?? 0n, to: to[partition] ?? 0n }
  }

  const lay: UsageLog['lay'] = async ({ partition, isWanted, ...times }, over) => {
    await reader.read(await rangeOf(partition, times), (records) => {
      for (const record of records) {
        const key = record.key?.toString('utf8') ?? ''
        if (isWanted(key))
          over.set(key, record.value === null ? null : parseUsage(key, record.value))
      }
    })
  }

  return {
    async ofStream(streamId, times) {
      const table: UsageTable = new Map()
      const partition = usagePartitionOf(streamId)
      const isWanted: IsWanted = (key) => key.startsWith(`${streamId}/`)
      await lay({ partition, isWanted, ...times }, table)
      return table
    },
    lay,
  }
}
