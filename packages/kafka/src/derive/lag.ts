// How far a derivation is behind. While records flow, each batch tells where its partition ends; the brokers
// are asked at the start, and then only while partitions are held, whose ends move on unseen.
import type { BrokerCalls } from '../protocol/broker-calls.ts'
import type { DeriveOptions } from './derivation.ts'
import type { PausedPartitions } from '../read/paused-partitions.ts'
import { committedOffsets, endOffsets } from '../admin/topic-calls.ts'

export type Lag = {
  seen(partition: number, end: bigint): void
  total(partitions: readonly number[]): number
  start(): void
  stop(): void
}

const ASK_EVERY_MS = 5_000

export function createLag({
  calls,
  options,
  pausedPartitions,
  positionOf,
}: {
  calls: BrokerCalls
  options: DeriveOptions
  pausedPartitions: Pick<PausedPartitions, 'isPaused'>
  positionOf(partition: number): bigint | undefined
}): Lag {
  const ends = new Map<number, bigint>()
  const starts = new Map<number, bigint>()
  let timer: NodeJS.Timeout | undefined

  async function ask(): Promise<void> {
    const { inputTopic, groupId } = options
    const answer = await calls.run('read offsets', async (cluster) => ({
      ends: await endOffsets(cluster, inputTopic, 'read_committed'),
      committed: await committedOffsets(cluster, groupId, inputTopic),
    }))
    for (const [partition, end] of answer.ends.entries()) {
      ends.set(partition, end)
      const committed = answer.committed[partition]
      starts.set(partition, committed ?? (await options.startOffset(partition)))
    }
  }

  function behind(partition: number): number {
    const position = positionOf(partition) ?? starts.get(partition)
    const end = ends.get(partition)
    if (position === undefined || end === undefined) return 0
    return Math.max(0, Number(end - position))
  }

  return {
    seen(partition, end) {
      ends.set(partition, end)
    },
    total: (partitions) => partitions.reduce((sum, partition) => sum + behind(partition), 0),
    start() {
      const askQuietly = () => void ask().catch(() => undefined)
      askQuietly()
      timer = setInterval(() => {
        const isAnyPaused = [...ends.keys()].some((partition) =>
          pausedPartitions.isPaused(partition),
        )
        if (isAnyPaused || starts.size === 0) askQuietly()
      }, ASK_EVERY_MS)
    },
    stop() {
      clearInterval(timer)
    },
  }
}
