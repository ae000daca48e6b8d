// auth's controller of usage. It reads usage, folds old minutes, and removes obsolete records.
import { createRangeReader } from '@weir/kafka'
import type { Kafka, LogOffsets } from '@weir/kafka'
import { hasCode } from '@weir/kit'
import type { Log } from '@weir/kit'
import { dayOf, followReplicas } from '@weir/control-state'
import type { ReplicaFollower, StateFollower } from '@weir/control-state'
import type { Reconciler } from '../control/reconcile-loop.ts'
import { foldUsage } from './fold.ts'
import { forgetUsage, sweepMonths, sweepReplicas } from './sweep.ts'
import type { SweepDeps } from './sweep.ts'
import { createTombstoneWriter } from '../control/tombstones.ts'
import { createSubjectLog } from '../control/erasure/subject-log.ts'
import type { SubjectLog } from '../control/erasure/subject-log.ts'
import { createUsageLog } from './usage-log.ts'
import type { UsageLog } from './usage-log.ts'
import { refusal } from '../errors.ts'

export type UsageController = {
  readonly log: UsageLog
  /** The links of data subjects. They have nothing to do with usage, but are read and removed in the same way. */
  readonly subjects: SubjectLog
  /** The replicas, with each one's position in control state. */
  readonly replicas: ReplicaFollower
  readonly reconcilers: readonly Reconciler[]
  /** Names the heartbeats that this replica can't read. Erasures and key rotations wait until it can. */
  warnings(): string[]
  forget(stream: { streamId: string; createdAtMs: number }): Promise<void>
  close(): Promise<void>
}

const sweepEveryMs = 10_000
const foldEveryMs = 3_600_000

export function createUsageController(options: {
  kafka: Kafka
  offsets: LogOffsets
  follower: Pick<StateFollower, 'tables' | 'isFresh' | 'keyring' | 'keyStore'>
  replica: string
  now: () => number
  log: Log
}): UsageController {
  const { kafka, offsets, follower, replica, now } = options
  const reader = createRangeReader(kafka)
  const log = createUsageLog({ offsets, reader })
  const replicas = followReplicas({ kafka, now, log: options.log })
  const write = createTombstoneWriter(kafka, replica)
  const sweeping: SweepDeps = { write, offsets, reader, replicas, log }
  const foldAndSweep = onceADay(now, async () => {
    await foldUsage({ kafka, log, hasStream: (streamId) => hasStream(follower, streamId) }, now())
    await sweepMonths(sweeping, now())
  })

  return {
    log,
    subjects: createSubjectLog({ offsets, reader, follower, write }),
    replicas,
    warnings: replicas.unread,
    reconcilers: [
      { name: 'replicas', run: () => sweepReplicas(sweeping).then(() => sweepEveryMs) },
      { name: 'usage', run: () => foldAndSweep().then(() => foldEveryMs) },
    ],
    forget: (stream) => forgetUsage(sweeping, stream),
    async close() {
      await Promise.all([replicas.close(), reader.close()])
    },
  }
}

/** Throws if the tables aren't fresh, because stale tables may lack a stream that exists. */
function hasStream(
  { tables, isFresh }: Pick<StateFollower, 'tables' | 'isFresh'>,
  streamId: string,
): boolean {
  if (!isFresh()) throw refusal('unavailable', 'control state is not fresh')
  return tables.streamById(streamId) !== undefined
}

function onceADay(now: () => number, work: () => Promise<void>): () => Promise<void> {
  let doneOn = ''
  return async () => {
    const today = dayOf(now())
    if (doneOn === today) return
    try {
      await work()
      doneOn = today
    } catch (error) {
      if (!hasCode(error, 'kafka.fenced')) throw error // fenced: another replica is doing this
    }
  }
}
