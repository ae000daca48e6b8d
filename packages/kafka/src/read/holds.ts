// Which partitions of a consumer are held, for a while after an error or all together, and telling kafkajs,
// whose own «pause all» can't be combined with pauses of single partitions.
import { backoff } from '@weir/kit'
import type { Consumer } from 'kafkajs'

export type Holds = {
  /** The partitions now assigned; holds of others are forgotten. */
  assign(consumer: Consumer, partitions: readonly number[]): void
  /** Holds the partition, longer with each time in a row. */
  holdForAWhile(partition: number): void
  succeeded(partition: number): void
  holdAll(isHeld: boolean): void
  isHeld(partition: number): boolean
  clear(): void
}

type Hold = { readonly pauses: Generator<number>; timer: NodeJS.Timeout | undefined }

const PAUSE = { minMs: 50, firstMs: 200, maxMs: 5_000 }

export function createHolds(topic: string): Holds {
  const holds = new Map<number, Hold>()
  let consumer: Consumer | undefined
  let assigned: readonly number[] = []
  let isAllHeld = false

  const isHeld = (partition: number) => isAllHeld || holds.get(partition)?.timer !== undefined

  function apply(): void {
    const held = assigned.filter(isHeld)
    const free = assigned.filter((partition) => !isHeld(partition))
    try {
      if (held.length > 0) consumer?.pause([{ topic, partitions: held }])
      if (free.length > 0) consumer?.resume([{ topic, partitions: free }])
    } catch {
      // The consumer has just ended; the next one is told when it joins.
    }
  }

  function drop(partition: number): void {
    clearTimeout(holds.get(partition)?.timer)
    holds.delete(partition)
  }

  return {
    assign(joined, partitions) {
      consumer = joined
      assigned = partitions
      for (const partition of holds.keys()) if (!partitions.includes(partition)) drop(partition)
      apply()
    },
    holdForAWhile(partition) {
      const hold = holds.get(partition) ?? { pauses: backoff(PAUSE), timer: undefined }
      holds.set(partition, hold)
      clearTimeout(hold.timer)
      const pauseMs: number = hold.pauses.next().value
      hold.timer = setTimeout(() => {
        hold.timer = undefined
        apply()
      }, pauseMs)
      apply()
    },
    succeeded: drop,
    holdAll(held) {
      isAllHeld = held
      apply()
    },
    isHeld,
    clear() {
      for (const partition of holds.keys()) drop(partition)
      consumer = undefined
      assigned = []
    },
  }
}
