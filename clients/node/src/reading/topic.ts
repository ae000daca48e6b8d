// Reads a topic of Weir with Kafka's protocol: all records that were committed when the topic was opened. Commits no
// offsets. After a lost connection, reading continues where it ended.
import { consume } from './consume.ts'
import type { Reading } from './consume.ts'
import { rangesOf, startsOf } from './offsets.ts'
import type { Range } from './offsets.ts'
import { checkTopicOptions } from './options.ts'
import type { StopSignal, TopicOptions, TopicSpan } from './options.ts'
import { isUnread } from './places.ts'
import type { TopicRecord } from './record.ts'
import { openSession } from './session.ts'
import type { Session } from './session.ts'
import { untilEnded, within } from './timing.ts'

export type OpenTopic = {
  /** The number of offsets to read. Some offsets have no record. */
  readonly size: number
  /**
   * Reads all records, one partition after the other. Call it again to read all records again, but not while it runs.
   * Waits for `onRecord`, and rejects with its error. `onProgress` gets the number of offsets that are read.
   */
  read(
    onRecord: (record: TopicRecord) => void | Promise<void>,
    onProgress?: (offsets: number) => void,
  ): Promise<void>
  /** Disconnects. A running `read` rejects with ReadError `closed`. */
  close(): Promise<void>
}

/**
 * Opens a topic. `signal` closes the topic, even during `read`. Rejects with ReadError, the error of `token`, or
 * TypeError for invalid options.
 */
export async function openTopic(
  options: TopicOptions,
  span: TopicSpan = {},
  signal?: StopSignal,
): Promise<OpenTopic> {
  checkTopicOptions(options, span)
  const session = await openSession(options, signal)
  const { run, close } = session
  try {
    const ranges = await findRanges(session, options.topic, span.fromMs)
    return {
      size: ranges.reduce((sum, { from, end }) => sum + Number(end - from), 0),
      read(onRecord, onProgress) {
        const { places, onMoved, movedAtMs } = startPlaces(ranges, onProgress)
        const starts = () => startsOf(session.kafka, options.topic)
        const reading = { ...options, places, onRecord, onMoved, starts, signal: session.signal }
        return run(() => readOn(session, reading), movedAtMs)
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function findRanges(session: Session, topic: string, fromMs?: number): Promise<Range[]> {
  const { kafka, signal, connectTimeoutMs } = session
  const startMs = performance.now()
  const attempt = (): Promise<Range[]> => {
    const leftMs = startMs + connectTimeoutMs - performance.now()
    return untilEnded(within(rangesOf(kafka, topic, fromMs), leftMs), signal)
  }
  return session.run(attempt, () => startMs)
}

const readOn = async ({ kafka }: Session, reading: Reading): Promise<void> => {
  if (reading.places.some(isUnread)) await consume(kafka, reading)
}

function startPlaces(ranges: readonly Range[], onProgress?: (offsets: number) => void) {
  const places = ranges.map((range) => ({ ...range, next: range.from }))
  let lastMs = performance.now()
  return {
    places,
    onMoved(): void {
      lastMs = performance.now()
      onProgress?.(places.reduce((sum, { from, next }) => sum + Number(next - from), 0))
    },
    movedAtMs: () => lastMs,
  }
}
