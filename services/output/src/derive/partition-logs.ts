// Makes this replica the only writer of a derived partition's two logs, one for derived records and one for dead
// letters, and finds the position. Each event is derived exactly once because of this order: first fence the former
// owner, then check whether this replica may own the partition, and only then read the position. If the position is
// lost, nothing is derived.
import { createAdmin, createAppender, createFencer, createLogSearch, KafkaError } from '@weir/kafka'
import type { Appender, AppendLane, Fencer, Kafka, LanePlace } from '@weir/kafka'
import { delay, withTimeout } from '@weir/kit'
import type { Log } from '@weir/kit'
import { SVC_SOURCE } from '../records/headers.ts'
import { DeriveError } from './errors.ts'
import { createFindNext } from './find-next.ts'
import type { DerivedPartition, Fenced } from './find-next.ts'
import { createNotedPositions } from './noted-positions.ts'
import type { Noted } from './noted-positions.ts'

export type { DerivedPartition }

export type Owned = {
  /** The next input offset to derive. */
  readonly next: bigint
  readonly derived: AppendLane
  readonly dead: AppendLane
  /** The owner's epoch, which is noted with each position. */
  readonly epoch: number
  /** The end of the derived log when the partition was acquired. */
  readonly end: bigint
  /** Ends both lanes permanently. */
  close(): void
}

export type PartitionLogs = {
  /**
   * Makes this replica the only writer. `mayOwn` is called after the fence, before the position is read. Throws
   * DeriveError `derive.may_not_own` or `derive.position_lost`; KafkaError `kafka.fenced`, `kafka.unavailable`,
   * `kafka.refused` or, if a wrong noted position can't be replaced, `kafka.group_not_empty`.
   */
  acquire(of: DerivedPartition, mayOwn: () => Promise<boolean>): Promise<Owned>
  /**
   * Returns the last noted positions. The real position may be later than `next`. If a partition has no noted position,
   * only `acquire` finds its position.
   */
  noted(of: readonly DerivedPartition[]): Promise<ReadonlyMap<DerivedPartition, Noted>>
  /** Notes positions. `end` is the acknowledged end of the derived log. Never throws, but logs a warning. */
  note(notes: readonly (Noted & { readonly of: DerivedPartition })[]): Promise<void>
  close(): Promise<void>
}

export type PartitionLogsDeps = {
  readonly kafka: Kafka
  readonly kafkaPrefix: string
  readonly log: Log
  readonly now?: () => number
  /** A replica that has read no heartbeat of its own for this long has certainly stopped writing. */
  readonly leaseMs?: number
}

// A fence can take 30 s if a partition is new or has no leader.
const ACQUIRE_WITHIN_MS = 40_000
const LEASE_MS = 12_000
const CLOSE_WITHIN_MS = 5_000

export function createPartitionLogs(deps: PartitionLogsDeps): PartitionLogs {
  const { kafka, kafkaPrefix, log, now = Date.now, leaseMs = LEASE_MS } = deps
  const parts = { fencer: createFencer(kafka), search: createLogSearch(kafka) }
  const { admin, appender } = { admin: createAdmin(kafka), appender: createAppender(kafka) }
  const noted = createNotedPositions({ kafka, kafkaPrefix, log, now })
  const closing = new AbortController()
  const acquiring = new Set<Promise<unknown>>()
  const owned = createOwnedLogs(appender)
  const fence = createFence({ ...parts, log, leaseMs, signal: closing.signal })
  const findNext = createFindNext({ ...parts, admin, noted, log, kafkaPrefix })

  async function acquire(of: DerivedPartition, mayOwn: () => Promise<boolean>): Promise<Owned> {
    const fenced = await fence(of)
    if (!(await mayOwn())) throw mayNotOwn()
    const next = await findNext(of, fenced)
    if (closing.signal.aborted) throw closed()
    return owned.open(of, fenced.identity, { next, end: fenced.derivedEnd })
  }

  return {
    acquire(of, mayOwn) {
      const work = acquire(of, mayOwn).finally(() => acquiring.delete(work))
      acquiring.add(work)
      return work
    },
    noted: noted.read,
    note: noted.note,
    async close() {
      closing.abort()
      owned.close()
      // A fence that ends later could stop the partition's next owner.
      await withTimeout(Promise.allSettled(acquiring), CLOSE_WITHIN_MS, 'acquire').catch(() => {})
      appender.close()
      parts.fencer.close()
      await Promise.all([noted.close(), parts.search.close(), admin.close()])
    },
  }
}

function createOwnedLogs({ lane }: Pick<Appender, 'lane'>) {
  const all = new Set<Owned>()
  return {
    open(
      of: DerivedPartition,
      identity: LanePlace['identity'],
      at: Pick<Owned, 'next' | 'end'>,
    ): Owned {
      const { outputTopic, deadLetterTopic, partition } = of
      const derived = lane({ topic: outputTopic, partition, identity })
      const dead = lane({ topic: deadLetterTopic, partition, identity })
      const close = (): void => {
        derived.close()
        dead.close()
        all.delete(one)
      }
      const one: Owned = { ...at, derived, dead, epoch: identity.epoch, close }
      all.add(one)
      return one
    },
    close(): void {
      for (const one of all) one.close()
    },
  }
}

type FenceDeps = {
  readonly fencer: Pick<Fencer, 'acquire'>
  readonly log: Log
  readonly leaseMs: number
  readonly signal: AbortSignal
}

/** Once the returned function resolves, the former owner can't write any more. */
function createFence({ fencer, log, leaseMs, signal }: FenceDeps) {
  return async (of: DerivedPartition): Promise<Fenced & Pick<LanePlace, 'identity'>> => {
    const { transactionalId, outputTopic, deadLetterTopic, partition } = of
    const partitions = [outputTopic, deadLetterTopic].map((topic) => ({ topic, partition }))
    const logs = { partitions, linkHeader: SVC_SOURCE }
    const acquiring = { ...logs, transactionalId, deadlineMs: ACQUIRE_WITHIN_MS }
    for (;;) {
      if (signal.aborted) throw closed()
      const { identity, markers, isNewIdentity } = await fencer.acquire(acquiring)
      const [derivedEnd, deadEnd] = markers
      if (derivedEnd === undefined || deadEnd === undefined) throw new TypeError('a marker lacks')
      const { epoch } = identity
      if (!isNewIdentity) return { identity, epoch, derivedEnd, deadEnd }
      log.warn(
        { stream: outputTopic, partition },
        'Kafka has forgotten the former owner of a partition: waiting until it has certainly stopped',
      )
      await delay(leaseMs, signal).catch(() => undefined)
    }
  }
}

const mayNotOwn = (): DeriveError =>
  new DeriveError('derive.may_not_own', 'this replica may not own the partition')
const closed = (): KafkaError =>
  new KafkaError('kafka.unavailable', 'the logs of derived partitions are closed')
