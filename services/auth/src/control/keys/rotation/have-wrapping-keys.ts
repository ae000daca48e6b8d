// Whether key records may be wrapped by new wrapping keys yet: a replica that lacks the new KEK would lose the keys that it works
// with. Replicas say so in their heartbeats; one that isn't heard of any more isn't waited for.
import type { Log } from '@weir/kit'
import type { ReplicaFollower, StateFollower } from '@weir/control-state'
import type { HaveWrappingKeys } from './continue-rotation.ts'

const tellEveryMs = 60_000

/** To be asked once this process has the rotation's wrapping keys itself. */
export function createHaveWrappingKeys(options: {
  replicas: Pick<ReplicaFollower, 'replicas' | 'isRead'>
  follower: Pick<StateFollower, 'positions'>
  log: Log
}): HaveWrappingKeys {
  const { replicas, follower, log } = options
  let asked: { readonly rotationId: string; readonly keys: bigint } | undefined
  let toldMs = -Infinity
  return ({ rotationId }) => {
    if (asked?.rotationId !== rotationId) asked = { rotationId, keys: follower.positions().keys }
    const { keys } = asked
    if (!replicas.isRead()) return false
    const waiting = replicas.replicas
      .heard()
      .filter(({ beat: { service, sealedRings, keys: readTo } }) => {
        if (service === 'auth') return false // it handles no events, so it may wait for its KEK
        return sealedRings !== undefined || BigInt(readTo) < keys
      })
    if (waiting.length === 0) return true
    if (performance.now() - toldMs > tellEveryMs) {
      toldMs = performance.now()
      const ids = waiting.slice(0, 10).map(({ id, beat }) => `${beat.service} ${id}`)
      log.info(
        { replicas: waiting.length, ids },
        'the key rotation waits for replicas that cannot unwrap the new wrapping keys yet',
      )
    }
    return false
  }
}
