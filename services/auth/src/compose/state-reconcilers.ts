// The reconcilers that keep Kafka and keys in line with control state, and their intervals.
import type { StateFollower } from '@weir/control-state'
import type { Configs } from '@weir/kafka'
import type { ReadAccess } from '../control/acls/read-access.ts'
import { keepSubjects } from '../control/control-topics.ts'
import { keepReceiptKey } from '../control/erasure/receipts.ts'
import type { KeepingReceiptKey } from '../control/erasure/receipts.ts'
import { keepErasAhead } from '../control/keys/keep-eras.ts'
import type { KeepingEras } from '../control/keys/keep-eras.ts'
import { reapplyErasures } from '../control/restore/reapply.ts'
import type { Reapplying } from '../control/restore/reapply.ts'
import type { Searches } from '../people/searches.ts'
import { expireAccesses } from '../people/subject-access.ts'
import { keepSigningKeys } from '../control/keys/signing-keys.ts'
import type { Reconciler } from '../control/reconcile-loop.ts'
import { cleanUp } from '../control/streams/clean-up.ts'
import type { CleaningUp } from '../control/streams/clean-up.ts'
import { rebuildOutputs } from '../control/streams/rebuild-output.ts'
import type { Rebuilding } from '../control/streams/rebuild-output.ts'

const cleanUpIdleMs = 15_000
const rebuildsIdleMs = 15_000
const erasEveryMs = 3_600_000
const signingKeysEveryMs = 600_000
const accessEveryMs = 300_000
const subjectsEveryMs = 3_600_000
const searchesEveryMs = 60_000
const restoreEveryMs = 15_000

type Deps = CleaningUp &
  Rebuilding &
  Reapplying &
  KeepingEras &
  KeepingReceiptKey & {
    readonly access: Pick<ReadAccess, 'settle'>
    readonly configs: Pick<Configs, 'topics' | 'setTopic'>
    readonly follower: Pick<StateFollower, 'tables'>
    readonly searches: Pick<Searches, 'expire'>
  }

export function stateReconcilers(deps: Deps): readonly Reconciler[] {
  const every = (name: string, everyMs: number, work: () => Promise<void>): Reconciler => ({
    name,
    run: () => work().then(() => everyMs),
  })
  return [
    { name: 'clean-up', run: async () => (await cleanUp(deps)) ?? cleanUpIdleMs },
    { name: 'rebuilds', run: async () => (await rebuildOutputs(deps)) ?? rebuildsIdleMs },
    every('eras', erasEveryMs, () => keepErasAhead(deps)),
    every('access', accessEveryMs, () => deps.access.settle()),
    every('subjects', subjectsEveryMs, () =>
      keepSubjects(deps.configs, deps.follower.tables.streams()),
    ),
    // Not only at the start, because auth may already be running when a restore begins.
    every('restore', restoreEveryMs, () => reapplyErasures(deps)),
    every('searches', searchesEveryMs, () => deps.searches.expire(deps)),
    every('subject accesses', searchesEveryMs, () => expireAccesses(deps)),
    every('signing keys', signingKeysEveryMs, async () => {
      await keepSigningKeys(deps)
      await keepReceiptKey(deps)
    }),
  ]
}
