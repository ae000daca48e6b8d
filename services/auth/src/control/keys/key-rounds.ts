// The upkeep of keys at rest: a rotation that is under way goes on, keys past their age go, and
// erasures whose KEKs are gone are told.
import { continueRotation } from './rotation/continue-rotation.ts'
import { createAgreedNow, expireEras } from './expire-eras.ts'
import { createHaveRings } from './rotation/have-rings.ts'
import { lookForDestroyed } from './rotation/destroyed.ts'
import type { ReplicaFollower } from '@weir/control-state'
import type { Stewardship } from '../stewardship.ts'
import type { Round } from '../rounds.ts'

export function keyRounds(deps: Stewardship, replicas: ReplicaFollower): readonly Round[] {
  const { follower, admin, now, log } = deps
  const haveRings = createHaveRings({ replicas, follower, log })
  const agreedNow = createAgreedNow({ replicas, admin, now, log })
  return [
    { name: 'rotation', run: () => continueRotation(deps, haveRings) },
    { name: 'destroyed', run: () => lookForDestroyed(deps) },
    { name: 'expiry', run: () => expireEras(deps, agreedNow) },
  ]
}
