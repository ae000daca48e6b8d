// Which partitions of a consumer are paused, for a while after an error or all together, and telling kafkajs,
// whose own «pause all» can't be combined with pauses of single partitions.
import { backoff } from '@weir/kit'
import type { Consumer } from 'kafkajs'

export type PausedPartitions = {
  /** The partitions now assigned; pauses of others are forgotten. */
  assign(consumer: Consumer, partitions: readonly number[]): void
  /** Pauses the partition, longer with each time in a row. */
  pauseForAWhile(partition: number): void
  succeeded(partition: number): void
  pauseAll(all: boolean): void
  isPaused(partition: number): boolean
  clear(): void
}

type Pause = { readonly pauses: Generator<number>; timer: NodeJS.Timeout | undefined }

const PAUSE = { minMs: 50, firstMs: 200, maxMs: 5_000 }

export function createPausedPartitions(topic: string): PausedPartitions {
  const pauseOf = new Map<number, Pause>()
  let consumer: Consumer | undefined
  let assigned: readonly number[] = []
  let isAllPaused = false

  const isPaused = (partition: number) => isAllPaused || pauseOf.get(partition)?.timer !== undefined

  function apply(): void {
    const stopped = assigned.filter(isPaused)
    const free = assigned.filter((partition) => !isPaused(partition))
    try {
      if (stopped.length > 0) consumer?.pause([{ topic, partitions: stopped }])
      if (free.length > 0) consumer?.resume([{ topic, partitions: free }])
    } catch {
      // The consumer has just ended; the next one is told when it joins.
    }
  }

  function drop(partition: number): void {
    clearTimeout(pauseOf.get(partition)?.timer)
    pauseOf.delete(partition)
  }

  return {
    assign(joined, partitions) {
      consumer = joined
      assigned = partitions
      for (const partition of pauseOf.keys()) if (!partitions.includes(partition)) drop(partition)
      apply()
    },
    pauseForAWhile(partition) {
      const pause = pauseOf.get(partition) ?? { pauses: backoff(PAUSE), timer: undefined }
      pauseOf.set(partition, pause)
      clearTimeout(pause.timer)
      const pauseMs: number = pause.pauses.next().value
      pause.timer = setTimeout(() => {
        pause.timer = undefined
        apply()
      }, pauseMs)
      apply()
    },
    succeeded: drop,
    pauseAll(all) {
      isAllPaused = all
      apply()
    },
    isPaused,
    clear() {
      for (const partition of pauseOf.keys()) drop(partition)
      consumer = undefined
      assigned = []
    },
  }
}
