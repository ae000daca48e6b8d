// Reads one partition of `weir.usage` from Kafka on request, only for the requested time. Keeps nothing in memory.
import type { LogOffsets, RangeReader } from '@weir/kafka'
import { parseUsage, usagePartitionOf, usageTopic } from '@weir/control-state'
import type { Usage } from '@weir/control-state'

/** The last value of each key in the range that was read; null if the record was removed. */
export type UsageTable = Map<string, Usage | null>

export type UsageLog = {
  /** Returns all records of a stream in a period, and possibly records before and after it. */
  ofStream(streamId: string, times: Times): Promise<UsageTable>
  /** Adds the wanted records of a partition in a period to a table. Newer values overwrite older ones. */
  lay(part: Times & { partition: number; isWanted: IsWanted }, over: UsageTable): Promise<void>
}

/**
 * The period of the counted minutes. Their records may be written later, by clocks that differ a little (`aroundMs`).
 */
type Times = {
  readonly fromMs: number
  /** Undefined: up to the log's end. */
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
