// Checks whether new wrapping keys may wrap key records. A replica without the new KEK could not read these records.
// Heartbeats report how far a replica has read `weir.keys`, and what it can't unwrap. Replicas without heartbeats don't
// count.
import type { Log } from '@weir/kit'
import type { ReplicaFollower, StateFollower } from '@weir/control-state'
import type { HaveWrappingKeys } from './continue-rotation.ts'

const tellEveryMs = 60_000

/** Call the returned function when this process has the rotation's wrapping keys. */
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
        // auth handles no events, so its replicas can wait for the KEK
        if (service === 'auth') return false
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
