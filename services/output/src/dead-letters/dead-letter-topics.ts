// Lists and retries the records of dead letter topics. retry-partition.ts retries one partition.
import { scanWindow } from './dead-scan.ts'
import type { DeadEntry, DeadSpan, DeadWindow } from './dead-scan.ts'
import { retryPending } from './retry-partition.ts'
import type { CountRetried, RetryDeps, RetryOptions } from './retry-partition.ts'

export type DeadLetterTopics = {
  /**
   * Counts the pending records, and returns the `max` newest of each partition, oldest first. Returns undefined if
   * `mayGoOn` returned false.
   */
  list(what: DeadLetterListOptions): Promise<Listed | undefined>
  /**
   * Retries the pending records. Calls `count` when an outcome is certain. Throws Refusal `stream_disabled` or
   * `unavailable`, KafkaError, and errors of `transform`.
   */
  retry(options: RetryOptions, count: CountRetried): Promise<void>
}

type Listed = { readonly entries: DeadEntry[]; readonly total: number }

type Topics = { readonly inputTopic: string; readonly deadLetterTopic: string }

export type DeadLetterListOptions = Topics & {
  readonly max: number
  /** Called between reads. False ends the work. */
  mayGoOn(): boolean
}

type DeadLetterDeps = RetryDeps & {
  readonly kafkaPrefix: string
}

export function createDeadLetterTopics(deps: DeadLetterDeps): DeadLetterTopics {
  return {
    async list({ max, mayGoOn, ...topics }) {
      const entries: DeadEntry[] = []
      let total = 0
      for (const span of await spansOf(deps, topics)) {
        let newest: DeadEntry[] = []
        for await (const window of windowsOf(deps, span, mayGoOn)) {
          if (window === undefined) return undefined
          const { pending } = window
          total += pending.size
          if (max > 0) newest = [...newest, ...pending.values()].slice(-max)
        }
        entries.push(...newest)
      }
      return { entries, total }
    },
    async retry(options, count) {
      const { mayGoOn } = options
      for (const span of await spansOf(deps, options)) {
        for await (const window of windowsOf(deps, span, mayGoOn)) {
          if (window === undefined || !mayGoOn()) return
          await retryPending({ ...deps, options, count }, window.pending, span)
        }
      }
    },
  }
}

async function spansOf(
  { offsets, kafkaPrefix }: DeadLetterDeps,
  { deadLetterTopic, inputTopic }: Topics,
): Promise<DeadSpan[]> {
  const starts = await offsets.earliest(deadLetterTopic)
  const ends = await offsets.ends(deadLetterTopic, { isolation: 'read_committed' })
  const sourceTopic = kafkaPrefix + inputTopic
  return ends.map((to, partition) => {
    const from = starts[partition] ?? 0n
    return { deadLetterTopic, inputTopic, sourceTopic, partition, from, to }
  })
}

async function* windowsOf(
  { reader }: DeadLetterDeps,
  span: DeadSpan,
  mayGoOn: () => boolean,
): AsyncGenerator<DeadWindow | undefined> {
  for (let { from } = span; from < span.to;) {
    const window = await scanWindow(reader, { ...span, from }, mayGoOn)
    yield window
    if (window === undefined) return
    from = window.next
  }
}
