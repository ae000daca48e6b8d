// The reconcilers of keys at rest. They continue a rotation, delete keys that are too old, and mark erasures as
// `destroyed` when their KEKs no longer exist.
import { continueRotation } from '../control/keys/rotation/continue-rotation.ts'
import { createAgreedNow, expireEras } from '../control/erasure/expire-eras.ts'
import type { Expiring } from '../control/erasure/expire-eras.ts'
import { createHaveWrappingKeys } from '../control/keys/rotation/have-wrapping-keys.ts'
import { lookForDestroyed } from '../control/keys/rotation/destroyed.ts'
import type { ReplicaFollower, StateFollower } from '@weir/control-state'
import type { Configs } from '@weir/kafka'
import type { ContinuingRotation } from '../control/keys/rotation/continue-rotation.ts'
import type { LookingForDestroyed } from '../control/keys/rotation/destroyed.ts'
import type { Reconciler } from '../control/reconcile-loop.ts'

type Deps = ContinuingRotation &
  Expiring &
  LookingForDestroyed & {
    readonly follower: Pick<StateFollower, 'positions'>
    readonly replicas: ReplicaFollower
    readonly configs: Pick<Configs, 'topic'>
  }

export function keyReconcilers(deps: Deps): readonly Reconciler[] {
  const { follower, replicas, configs, now, log } = deps
  const haveWrappingKeys = createHaveWrappingKeys({ replicas, follower, log })
  const agreedNow = createAgreedNow({ replicas, configs, now, log })
  return [
    { name: 'rotation', run: () => continueRotation(deps, haveWrappingKeys) },
    { name: 'destroyed', run: () => lookForDestroyed(deps) },
    { name: 'expiry', run: () => expireEras(deps, agreedNow) },
  ]
}
