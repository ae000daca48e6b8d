// Applies the limits to all replicas together: reports this replica's demand, writes its counts, and reads the demand
// and counts of the other replicas. No event waits, because its path only reads numbers in memory.
import { randomUUID } from 'node:crypto'
import { createBatchProducer } from '@weir/kafka'
import type { Kafka } from '@weir/kafka'
import { delay } from '@weir/kit'
import type { Log } from '@weir/kit'
import { followReplicas, onStreamGone, startHeartbeats } from '@weir/control-state'
import type { Heart, HeldKeks, StateFollower } from '@weir/control-state'
import { createLimits } from './limits.ts'
import type { StreamLimits } from './limits.ts'
import { createMonthCounts } from './month-counts.ts'
import { createRates } from './rates.ts'
import { createUsage } from './usage.ts'
import type { UsageRecord, UsageRecords } from './usage.ts'

export type Sharing = {
  readonly limits: StreamLimits
  /** Reads the reports of the other replicas, and then starts the heartbeats. */
  start(): Promise<void>
  /** False while counts of the month may be missing. */
  isRead(): boolean
  notReady(): string[]
  /** Writes the last counts and stops. Call when no more events are accepted. */
  close(): Promise<void>
}

/** Other replicas do not know unwritten counts, and a killed process loses them. */
const writeEveryMs = 500
const writeTimeoutMs = 1_000
const inFlightBytesMax = 32 * 1_048_576

type SharingOptions = Writing & { readonly follower: StateFollower; readonly kek: HeldKeks }

export function createSharing(options: SharingOptions): Sharing {
  const { kafka, follower, kek, now, log } = options
  const replica = randomUUID()
  const rates = createRates(now())
  const usage = createUsage(replica)
  const counts = createMonthCounts(replica)
  const others = followReplicas({
    kafka,
    now,
    log,
    counts,
    onBeat(other) {
      if (other.id !== replica && other.beat.service === 'ingest') rates.hear(other, now())
    },
  })
  const stopFollowingStreams = onStreamGone(follower, ({ streamId }) => {
    rates.forget(streamId)
    usage.forget(streamId)
  })
  let heart: Heart | undefined
  let writer: ReturnType<typeof keepWriting> | undefined

  return {
    limits: createLimits({ rates, usage, counts }),
    async start() {
      await others.start()
      const takeDemand = () => rates.closeSecond(now())
      const self = { replica, kek, service: 'ingest' } as const
      heart = startHeartbeats({ kafka, follower, ...self, now, takeDemand })
      writer = keepWriting(usage, { kafka, now, log })
    },
    isRead: others.isRead,
    notReady: () => (others.isRead() ? [] : unreadCounts(others.unread())),
    async close() {
      stopFollowingStreams()
      await Promise.all([writer?.stop(), heart?.stop(), others.close()])
    },
  }
}

const unreadCounts = (unread: string[]): string[] =>
  unread.length > 0 ? unread : ['the counts of this month are not read yet']

type Writing = { readonly kafka: Kafka; readonly now: () => number; readonly log: Log }

function keepWriting(usage: Pick<UsageRecords, 'takeChanged'>, { kafka, now, log }: Writing) {
  const producer = createBatchProducer(kafka, {
    produceTimeoutMs: writeTimeoutMs,
    inFlightBytesMax,
  })
  const stopping = new AbortController()

  const write = async (usageRecord: UsageRecord): Promise<boolean> => {
    const { topic, partition, key, value, settle } = usageRecord
    const record = { key, value, headers: {}, timestampMs: now() }
    const isWritten = await producer.send(topic, partition, record).then(
      () => true,
      () => false,
    )
    settle(isWritten)
    return isWritten
  }
  const writeAll = async (): Promise<boolean> => {
    const written = await Promise.all(usage.takeChanged(now()).map(write))
    return !written.includes(false)
  }
  const keepOn = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await delay(writeEveryMs, stopping.signal).catch(() => undefined)
      await writeAll()
    }
  }

  const running = keepOn()
  return {
    async stop() {
      stopping.abort()
      await running
      if (!(await writeAll())) log.warn('the last usage counts could not be written')
      await producer.close()
    },
  }
}
