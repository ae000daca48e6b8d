// auth's controller of control state: who may write it, what must be there before auth is ready, and which
// reconcile loops run as long as it does.
import { randomUUID } from 'node:crypto'
import type { KekProvider } from '@weir/fieldcrypt'
import { createLogScan } from '@weir/kafka'
import type { Acls, Admin, Kafka } from '@weir/kafka'
import { hasCode } from '@weir/kit'
import type { Log } from '@weir/kit'
import { cleanUp } from './streams/clean-up.ts'
import { createErasureStates } from './erasure/erasure-states.ts'
import { createReadAccess, noReadAccess } from './acls/read-access.ts'
import { createWrappingKeys } from './keys/wrapping-keys.ts'
import { createSigner, keepSigningKeys } from './keys/signing-keys.ts'
import { createWriter, writerTransactor } from './writer.ts'
import { keepErasAhead } from './keys/key-records.ts'
import { keepReceiptKey } from './erasure/receipts.ts'
import type { ReadAccess } from './acls/read-access.ts'
import type { StateFollower } from '@weir/control-state'
import type { Stewardship } from './stewardship.ts'
import type { Writer } from './writer.ts'
import { createAuditController } from './audit/audit-controller.ts'
import type { AuditController } from './audit/audit-controller.ts'
import { createBoot } from './boot.ts'
import type { Boot } from './boot.ts'
import { keepSubjects, makeControlTopics } from './bootstrap.ts'
import type { Config } from '../config.ts'
import type { KafkaPromises } from './streams/kafka-promises.ts'
import { keyReconcilers } from './keys/key-reconcilers.ts'
import type { AuthMetrics } from '../metrics.ts'
import { promisesOf, promisesReconciler } from './streams/promises-controller.ts'
import { startReconcileLoops } from './reconcile-loop.ts'
import type { Reconciler, ReconcileLoops } from './reconcile-loop.ts'
import { createUsageController } from '../usage/usage-controller.ts'
import type { UsageController } from '../usage/usage-controller.ts'

const cleanUpIdleMs = 15_000
const erasEveryMs = 3_600_000
const signingKeysEveryMs = 600_000
const accessEveryMs = 300_000
const subjectsEveryMs = 3_600_000

export type ControllerParts = {
  readonly config: Pick<
    Config,
    | 'ERASURES_MAX'
    | 'KAFKA_ACLS'
    | 'KAFKA_INGEST_PRINCIPAL'
    | 'KAFKA_OUTPUT_PRINCIPAL'
    | 'KAFKA_REQUIRE_DURABLE'
    | 'PRODUCE_TIMEOUT_MS'
    | 'TOPIC_REPLICATION'
  >
  readonly kafka: Kafka
  readonly admin: Admin
  readonly acls: Acls
  readonly follower: StateFollower
  readonly kek: KekProvider
  /** Upkeep beside that of control state. */
  readonly moreReconcilers: readonly Reconciler[]
  readonly metrics: Pick<AuthMetrics, 'changed'>
  readonly log: Log
}

/** Those that tokens are checked with: whether Kafka was not reached yet, or they are being read, or there. */
export type KeysAre = 'unreached' | 'coming' | 'there'

export type Controller = {
  readonly stewardship: Stewardship
  readonly boot: Boot
  readonly usage: UsageController
  readonly audit: AuditController
  readonly keys: () => KeysAre
  /** What Kafka must promise. */
  readonly promises: Pick<KafkaPromises, 'notReady'>
  /** The upkeep; to be called once control state is read. */
  startUpkeep(): void
  close(): Promise<void>
}

export function createController(parts: ControllerParts): Controller {
  const { config, kafka, admin, follower, kek, metrics, log } = parts
  const makeTransactor = () => writerTransactor(kafka)
  const uncounted = createWriter({ follower, log, now: Date.now, makeTransactor })
  const writer = countChanges(uncounted, metrics)
  let loops: ReconcileLoops | undefined
  const replica = randomUUID()
  const logScan = createLogScan(kafka)
  const usage = createUsageController({ kafka, admin, follower, replica, now: Date.now })
  const audit = createAuditController({ kafka, admin, follower, writer: uncounted, log })
  const stewardship: Stewardship = {
    writer,
    actor: { kind: 'auth' },
    follower,
    admin,
    access: accessOf(parts),
    wrappingKeys: createWrappingKeys({ writer, follower, kek }),
    kek,
    log,
    now: Date.now,
    replica,
    produceTimeoutMs: config.PRODUCE_TIMEOUT_MS,
    topicReplication: config.TOPIC_REPLICATION,
    erasuresMax: config.ERASURES_MAX,
    forgetUsage: usage.forget,
    cleanUpSoon: () => loops?.trigger('clean-up'),
    accessSoon: () => loops?.trigger('access'),
    rotateSoon: () => loops?.trigger('rotation'),
    erasuresSoon: () => loops?.trigger('erasures'),
  }
  const promises = promisesOf(parts)
  let keys: KeysAre = 'unreached'
  const boot = createBoot(
    bootSteps(parts, stewardship, { promises, keysAre: (now) => void (keys = now) }),
    log,
  )
  return {
    stewardship,
    boot,
    usage,
    audit,
    keys: () => keys,
    promises,
    startUpkeep() {
      // Nobody waits for it: until everything is read, there is nothing to sweep.
      void usage.replicas.start()
      const { replicas } = usage
      const keyed = keyReconcilers(stewardship, replicas)
      const states = createErasureStates({ ...stewardship, replicas, logScan })
      const erasures = { name: 'erasures', run: states.reconcile }
      loops = startReconcileLoops(
        [
          ...upkeepOf(stewardship),
          ...keyed,
          erasures,
          promisesReconciler(promises),
          ...usage.reconcilers,
          ...audit.reconcilers,
          ...parts.moreReconcilers,
        ],
        log,
      )
    },
    async close() {
      boot.stop()
      await loops?.close()
      await Promise.all([writer.close(), usage.close(), audit.close(), logScan.close()])
    },
  }
}

function accessOf({ config, acls, follower, log }: ControllerParts): ReadAccess {
  if (config.KAFKA_ACLS === 'off') return noReadAccess
  return createReadAccess({
    acls,
    follower,
    log,
    principals: { ingest: config.KAFKA_INGEST_PRINCIPAL, output: config.KAFKA_OUTPUT_PRINCIPAL },
    isRequired: config.KAFKA_ACLS === 'required',
  })
}

function bootSteps(
  { admin, config, follower }: ControllerParts,
  deps: Stewardship,
  { promises, keysAre }: { promises: KafkaPromises; keysAre: (now: KeysAre) => void },
) {
  return [
    {
      reason: 'the topics of control state do not exist yet',
      async run() {
        await admin.ping()
        keysAre('coming')
        await makeControlTopics({ admin, topicReplication: config.TOPIC_REPLICATION })
      },
    },
    { reason: 'control state is not read to its end yet', run: () => follower.start() },
    { reason: 'the settings of Kafka were not checked yet', run: () => promises.check() },
    {
      reason: 'there is no signing key for tokens yet',
      async run() {
        await keepSigningKeys(deps)
        await keepReceiptKey(deps)
        createSigner(deps)()
        keysAre('there')
      },
    },
    { reason: 'the keys of the next era do not exist yet', run: () => keepErasAhead(deps) },
    {
      reason: 'the rights in Kafka are not set yet',
      run: () => deps.access.settle(),
    },
  ]
}

function upkeepOf(deps: Stewardship) {
  return [
    {
      name: 'clean-up',
      run: async () => (await cleanUp(deps)) ?? cleanUpIdleMs,
    },
    {
      name: 'eras',
      async run() {
        await keepErasAhead(deps)
        return erasEveryMs
      },
    },
    {
      name: 'access',
      async run() {
        await deps.access.settle()
        return accessEveryMs
      },
    },
    {
      name: 'subjects',
      async run() {
        await keepSubjects(deps, deps.follower.tables.streams())
        return subjectsEveryMs
      },
    },
    {
      name: 'signing keys',
      async run() {
        await keepSigningKeys(deps)
        await keepReceiptKey(deps)
        return signingKeysEveryMs
      },
    },
  ]
}

function countChanges(writer: Writer, metrics: Pick<AuthMetrics, 'changed'>): Writer {
  return {
    async change(what, decide) {
      try {
        const answer = await writer.change(what, decide)
        metrics.changed('done')
        return answer
      } catch (error) {
        metrics.changed(hasCode(error, 'unavailable') || !hasCode(error) ? 'failed' : 'refused')
        throw error
      }
    },
    close: () => writer.close(),
  }
}
