// auth's controller of control state: what must be there before auth is ready, and which reconcile loops run as long
// as it does.
import { createLogScan } from '@weir/kafka'
import { controlTopic } from '@weir/control-state'
import type { StateFollowing } from '@weir/control-state'
import type { Config } from '../config.ts'
import { createBoot } from './boot.ts'
import type { Boot, BootStep } from './boot.ts'
import { makeControlTopics } from './bootstrap.ts'
import { composeControl } from './compose.ts'
import type { Control, ControlParts } from './compose.ts'
import { createErasureStates } from './erasure/erasure-states.ts'
import { keepReceiptKey } from './erasure/receipts.ts'
import { keepErasAhead } from './keys/key-records.ts'
import { keyReconcilers } from './keys/key-reconcilers.ts'
import { createSigner, keepSigningKeys } from './keys/signing-keys.ts'
import type { KafkaPromises } from './streams/kafka-promises.ts'
import { promisesOf, promisesReconciler } from './streams/promises-controller.ts'
import { startReconcileLoops } from './reconcile-loop.ts'
import type { Reconciler, ReconcileLoops } from './reconcile-loop.ts'
import { upkeepOf } from './upkeep.ts'

export type ControllerParts = ControlParts & {
  readonly config: Pick<Config, 'KAFKA_REQUIRE_DURABLE'>
  readonly following: Pick<StateFollowing, 'start'>
  /** Upkeep beside that of control state. */
  readonly moreReconcilers: readonly Reconciler[]
}

/** Those that tokens are checked with: whether Kafka was not reached yet, or they are being read, or there. */
export type KeysAre = 'unreached' | 'coming' | 'there'

export function createController(parts: ControllerParts) {
  const { kafka, log } = parts
  let loops: ReconcileLoops | undefined
  const composed = composeControl(parts, (loop) => loops?.trigger(loop))
  const { control, usage, audit } = composed
  const logScan = createLogScan(kafka)
  const promises = promisesOf(parts)
  let keys: KeysAre = 'unreached'
  const boot: Boot = createBoot(
    bootSteps(parts, control, { promises, keysAre: (now) => void (keys = now) }),
    log,
  )
  return {
    control,
    boot,
    usage,
    audit,
    keys: (): KeysAre => keys,
    /** What Kafka must promise. */
    promises,
    /** What isn't known here, and waits until this replica is upgraded. */
    warnings: (): string[] => [...audit.warnings(), ...usage.warnings()],
    /** To be called once control state is read. */
    startUpkeep(): void {
      // Nobody waits for it: until everything is read, there is nothing to sweep.
      void usage.replicas.start()
      const erasures = createErasureStates({ ...control, logScan })
      const own = [{ name: 'erasures', run: erasures.reconcile }, promisesReconciler(promises)]
      const others = [...usage.reconcilers, ...audit.reconcilers, ...parts.moreReconcilers]
      loops = startReconcileLoops(
        [...upkeepOf(control), ...keyReconcilers(control), ...own, ...others],
        log,
      )
    },
    async close(): Promise<void> {
      boot.stop()
      await loops?.close()
      await Promise.all([composed.closeWriter(), usage.close(), audit.close(), logScan.close()])
    },
  }
}

function bootSteps(
  { admin, config, following }: ControllerParts,
  control: Control,
  { promises, keysAre }: { promises: KafkaPromises; keysAre: (now: KeysAre) => void },
): readonly BootStep[] {
  return [
    {
      reason: 'the topics of control state do not exist yet',
      async run() {
        await admin.topics.partitionCount(controlTopic) // Kafka is reached
        keysAre('coming')
        await makeControlTopics(admin.topics, config.TOPIC_REPLICATION)
      },
    },
    { reason: 'control state is not read to its end yet', run: following.start },
    { reason: 'the settings of Kafka were not checked yet', run: () => promises.check() },
    {
      reason: 'there is no signing key for tokens yet',
      async run() {
        await keepSigningKeys(control)
        await keepReceiptKey(control)
        createSigner(control)()
        keysAre('there')
      },
    },
    { reason: 'the keys of the next era do not exist yet', run: () => keepErasAhead(control) },
    {
      reason: 'the rights in Kafka are not set yet',
      run: () => control.access.settle(),
    },
  ]
}
