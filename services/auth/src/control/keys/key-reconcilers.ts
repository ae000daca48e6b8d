// The upkeep of keys at rest: a rotation that is under way goes on, keys past their age go, and
// erasures whose KEKs are gone are told.
import { continueRotation } from './rotation/continue-rotation.ts'
import { createAgreedNow, expireEras } from './expire-eras.ts'
import { createHaveWrappingKeys } from './rotation/have-wrapping-keys.ts'
import { lookForDestroyed } from './rotation/destroyed.ts'
import type { ReplicaFollower } from '@weir/control-state'
import type { Stewardship } from '../stewardship.ts'
import type { Reconciler } from '../reconcile-loop.ts'

export function keyReconcilers(
  deps: Stewardship,
  replicas: ReplicaFollower,
): readonly Reconciler[] {
  const { follower, admin, now, log } = deps
  const haveWrappingKeys = createHaveWrappingKeys({ replicas, follower, log })
  const agreedNow = createAgreedNow({ replicas, admin, now, log })
  return [
    { name: 'rotation', run: () => continueRotation(deps, haveWrappingKeys) },
    { name: 'destroyed', run: () => lookForDestroyed(deps) },
    { name: 'expiry', run: () => expireEras(deps, agreedNow) },
  ]
}
