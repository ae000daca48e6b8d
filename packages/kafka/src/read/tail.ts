// Reads one topic from given offsets on, as long as the topic exists. Delivers every committed record once, unless
// retention has removed it, in the order of its partition, even if brokers fail. Commits nothing, so it always starts
// from the given offsets.
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import type { SourceRecord } from '../protocol/source-record.ts'
import { createFetcher } from './fetcher.ts'
import type { Following } from './fetcher.ts'

export type TailOptions = {
  readonly topic: string
  /** One offset per partition. */
  readonly fromOffsets: readonly bigint[]
  /** Called with committed records of one partition in order. If it throws, the records are delivered again. */
  onRecords(partition: number, records: readonly SourceRecord[]): void
  /** Everything before `next` is read, including invisible records such as transaction markers. */
  onPosition?(partition: number, next: bigint): void
  /**
   * The topic was deleted or replaced by another topic of the same name, or its log was truncated. No more records
   * arrive. `close` doesn't call this.
   */
  onStopped(reason: 'gone'): void
}

export type Tail = {
  close(): void
}

export function tailTopic(kafka: Kafka, options: TailOptions): Tail {
  const { topic, fromOffsets } = options
  const { log } = internalsOf(kafka)
  const fetcher = createFetcher(kafka)
  let isOver = false

  function close(): void {
    isOver = true
    for (const following of followings) following.close()
  }

  function stop(): void {
    if (isOver) return
    close()
    options.onStopped('gone')
  }

  function follow(from: bigint, partition: number): Following {
    const following = fetcher.follow(
      { topic, partition, from, isolation: 'read_committed' },
      {
        onRecords(records, next) {
          if (records.length > 0) options.onRecords(partition, records)
          if (!isOver) options.onPosition?.(partition, next)
        },
        onLost(lost) {
          // Records removed by retention are lost; reading continues after them.
          if (lost.why === 'cut') return stop()
          log.warn({ topic, partition }, 'retention has removed records before they were read')
          following.seek(lost.from)
        },
        onGone: stop,
      },
    )
    return following
  }

  const followings = fromOffsets.map(follow)
  return { close }
}
