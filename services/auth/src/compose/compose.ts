// Creates the dependencies of the features of control state. The types of a feature say which of them it uses.
import { randomUUID } from 'node:crypto'
import type { KekProvider } from '@weir/fieldcrypt'
import { oneAtATime } from '@weir/kit'
import type { Log } from '@weir/kit'
import { createFencer, createRangeReader } from '@weir/kafka'
import type { Acls, Admin, Fencer, Kafka } from '@weir/kafka'
import type { HeldKeks, StateFollower } from '@weir/control-state'
import { errors } from '../errors.ts'
import type { Config } from '../config.ts'
import type { AuthMetrics } from '../metrics.ts'
import { readingErasures } from '../control/restore/reapply.ts'
import { createSettingsReader } from '../control/erasure/settings-reader.ts'
import { createSearches } from '../people/searches.ts'
import type { Searches } from '../people/searches.ts'
import type { SubjectLog } from '../control/erasure/subject-log.ts'
import { createUsageController } from '../usage/usage-controller.ts'
import { createAuditController } from '../control/audit/audit-controller.ts'
import { createReadAccess, noReadAccess } from '../control/acls/read-access.ts'
import type { ReadAccess } from '../control/acls/read-access.ts'
import { createWrappingKeys } from '../control/keys/wrapping-keys.ts'
import type { WrappingKeys } from '../control/keys/wrapping-keys.ts'
import { createDerivedLogs } from '../control/streams/derived-logs.ts'
import { createStreamTopics } from '../control/streams/stream-topics.ts'
import { createWriter, writerTransactor } from '../control/writer.ts'
import type { Writer } from '../control/writer.ts'

export type ControlParts = {
  readonly config: Pick<
    Config,
    | 'ACCOUNT_KEY_BYTES_MAX'
    | 'ERASURES_MAX'
    | 'KEY_BYTES_MAX'
    | 'KAFKA_ACLS'
    | 'KAFKA_INGEST_PRINCIPAL'
    | 'KAFKA_OUTPUT_PRINCIPAL'
    | 'PRODUCE_TIMEOUT_MS'
    | 'KAFKA_PREFIX'
    | 'TOPIC_REPLICATION'
  >
  readonly kafka: Kafka
  readonly admin: Admin
  readonly acls: Acls
  readonly follower: StateFollower
  readonly kek: KekProvider & HeldKeks
  readonly metrics: Pick<AuthMetrics, 'changed'>
  readonly log: Log
}

/** Reconcile loops whose next pass a change can start early. */
export type HurriedLoop = 'clean-up' | 'access' | 'rotation' | 'erasures' | 'rebuilds'

export type Control = ReturnType<typeof composeControl>['control']

export function composeControl(parts: ControlParts, trigger: (loop: HurriedLoop) => void) {
  const { config, kafka, admin, follower, kek, metrics, log } = parts
  const now = Date.now
  const replica: string = randomUUID()
  const makeTransactor = () => writerTransactor(kafka)
  const uncounted = createWriter({ follower, log, now, makeTransactor })
  const writer = countChanges(uncounted, metrics)
  const { offsets } = admin
  const fencer = createFencer(kafka)
  const usage = createUsageController({ kafka, offsets, follower, replica, now, log })
  const wrappingKeys = createWrappingKeys({ writer, follower, kek })
  const control = {
    writer,
    searches: searchesOf(parts, { subjects: usage.subjects, wrappingKeys }),
    actor: { kind: 'auth' } as const,
    now,
    follower,
    kek,
    wrappingKeys,
    ...streamsInKafka(parts, fencer),
    kafkaPrefix: config.KAFKA_PREFIX,
    configs: admin.configs,
    access: accessOf(parts),
    replicas: usage.replicas,
    forgetUsage: usage.forget,
    log,
    replica,
    produceTimeoutMs: config.PRODUCE_TIMEOUT_MS,
    erasuresMax: config.ERASURES_MAX,
    keyBytesMax: { account: config.ACCOUNT_KEY_BYTES_MAX, all: config.KEY_BYTES_MAX },
    inTurn: oneAtATime(),
    ...soonOf(trigger),
  }
  const audit = createAuditController({ kafka, offsets, follower, writer: uncounted, log })
  const closeWriters = async (): Promise<void> => {
    fencer.close()
    await Promise.all([writer.close(), control.searches.close()])
  }
  return { control, usage, audit, closeWriters }
}

const streamsInKafka = ({ kafka, admin, config }: ControlParts, fencer: Fencer) => ({
  readErasures: readingErasures(kafka, admin.offsets),
  topics: createStreamTopics({ ...admin, fencer }, config.TOPIC_REPLICATION),
  derivedLogs: createDerivedLogs(admin.offsets, fencer),
})

const soonOf = (trigger: (loop: HurriedLoop) => void) => ({
  cleanUpSoon: () => trigger('clean-up'),
  accessSoon: () => trigger('access'),
  rotateSoon: () => trigger('rotation'),
  erasuresSoon: () => trigger('erasures'),
  rebuildSoon: () => trigger('rebuilds'),
})

function searchesOf(
  { kafka, admin, follower, log }: ControlParts,
  more: { readonly subjects: SubjectLog; readonly wrappingKeys: WrappingKeys },
): Searches {
  const settings = createSettingsReader(admin)
  const reader = createRangeReader(kafka)
  return createSearches({ ...more, follower, offsets: admin.offsets, reader, settings, log })
}

function accessOf({ config, acls, follower, log }: ControlParts): ReadAccess {
  if (config.KAFKA_ACLS === 'off') return noReadAccess
  return createReadAccess({
    acls,
    follower,
    log,
    principals: { ingest: config.KAFKA_INGEST_PRINCIPAL, output: config.KAFKA_OUTPUT_PRINCIPAL },
    isRequired: config.KAFKA_ACLS === 'required',
  })
}

function countChanges(writer: Writer, metrics: Pick<AuthMetrics, 'changed'>): Writer {
  return {
    async change(what, decide) {
      try {
        const answer = await writer.change(what, decide)
        metrics.changed('done')
        return answer
      } catch (error) {
        const isOurs = errors.statusOf(errors.refusalOf(error)) >= 500
        metrics.changed(isOurs ? 'failed' : 'refused')
        throw error
      }
    },
    close: () => writer.close(),
  }
}
