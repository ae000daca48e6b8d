// auth's controller of control state: the steps before auth is ready, and then the reconcile loops.
import { createLogScan } from '@weir/kafka'
import { controlTopic, startHeartbeats } from '@weir/control-state'
import type { Heart, StateFollowing } from '@weir/control-state'
import type { Config } from '../config.ts'
import { createBoot } from '../control/boot.ts'
import type { Boot, BootStep } from '../control/boot.ts'
import { makeControlTopics } from '../control/control-topics.ts'
import { composeControl } from './compose.ts'
import type { Control, ControlParts } from './compose.ts'
import { eraseRests } from '../control/erasure/erase-rest.ts'
import { createErasureStates } from '../control/erasure/erasure-states.ts'
import { reapplyErasures } from '../control/restore/reapply.ts'
import { keepReceiptKey } from '../control/erasure/receipts.ts'
import { keepErasAhead } from '../control/keys/keep-eras.ts'
import { keyReconcilers } from './key-reconcilers.ts'
import { createSigner, keepSigningKeys } from '../control/keys/signing-keys.ts'
import type { KafkaPromises } from '../control/streams/kafka-promises.ts'
import { promisesOf, promisesReconciler } from '../control/streams/promises-controller.ts'
import { startReconcileLoops } from '../control/reconcile-loop.ts'
import type { Reconciler, ReconcileLoops } from '../control/reconcile-loop.ts'
import { stateReconcilers } from './state-reconcilers.ts'

export type ControllerParts = ControlParts & {
  readonly config: Pick<Config, 'KAFKA_REQUIRE_DURABLE'>
  readonly following: Pick<StateFollowing, 'start'>
  readonly moreReconcilers: readonly Reconciler[]
}

/** Whether this replica knows the keys that verify tokens. */
export type TokenKeysState = 'kafka unreached' | 'being read' | 'known'

export function createController(parts: ControllerParts) {
  const { kafka, log } = parts
  let loops: ReconcileLoops | undefined
  let heart: Heart | undefined
  const composed = composeControl(parts, (loop) => loops?.trigger(loop))
  const { control, usage, audit } = composed
  const logScan = createLogScan(kafka)
  const promises = promisesOf(parts)
  let tokenKeys: TokenKeysState = 'kafka unreached'
  const boot: Boot = createBoot(
    bootSteps(parts, control, { promises, onTokenKeys: (state) => void (tokenKeys = state) }),
    log,
  )
  return {
    control,
    boot,
    usage,
    audit,
    tokenKeys: (): TokenKeysState => tokenKeys,
    /** The checks of Kafka's settings. */
    promises,
    /** Names the records that this replica can't read until it is upgraded. */
    warnings: (): string[] => [...audit.warnings(), ...usage.warnings()],
    /** Call after control state is read. */
    startLoops(): void {
      // Not awaited: loops that need the heartbeats do nothing until these are read.
      void usage.replicas.start()
      heart = startHeartbeats({ ...control, kafka, service: 'auth' })
      const erasures = createErasureStates({ ...control, logScan })
      const erasing = async () => Math.min(await eraseRests(control), await erasures.reconcile())
      const own = [{ name: 'erasures', run: erasing }, promisesReconciler(promises)]
      const others = [...usage.reconcilers, ...audit.reconcilers, ...parts.moreReconcilers]
      loops = startReconcileLoops(
        [...stateReconcilers(control), ...keyReconcilers(control), ...own, ...others],
        log,
      )
    },
    async close(): Promise<void> {
      boot.stop()
      await Promise.all([loops?.close(), heart?.stop()])
      await Promise.all([composed.closeWriters(), usage.close(), audit.close(), logScan.close()])
    },
  }
}

function bootSteps(
  { admin, config, following }: ControllerParts,
  control: Control,
  {
    promises,
    onTokenKeys,
  }: { promises: KafkaPromises; onTokenKeys: (state: TokenKeysState) => void },
): readonly BootStep[] {
  return [
    {
      reason: 'the topics of control state do not exist yet',
      async run() {
        await admin.topics.partitionCount(controlTopic) // resolves when Kafka is reached
        onTokenKeys('being read')
        await makeControlTopics(admin.topics, config.TOPIC_REPLICATION)
      },
    },
    { reason: 'control state is not read to its end yet', run: following.start },
    {
      reason: 'the erasures since the backup are not applied yet',
      run: () => reapplyErasures(control),
    },
    { reason: 'the settings of Kafka were not checked yet', run: () => promises.check() },
    {
      reason: 'there is no signing key for tokens yet',
      async run() {
        await keepSigningKeys(control)
        await keepReceiptKey(control)
        createSigner(control)()
        onTokenKeys('known')
      },
    },
    { reason: 'the keys of the next era do not exist yet', run: () => keepErasAhead(control) },
    {
      reason: 'the rights in Kafka are not set yet',
      run: () => control.access.settle(),
    },
  ]
}
