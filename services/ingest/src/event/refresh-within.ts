// Control state as requests wait for it: a look-up that missed follows it to its end, within the time that
// Kafka has for an answer to anything else. However that fails, the request is answered 503.
import { withTimeout } from '@weir/kit'
import type { StateFollower } from '@weir/control-state'
import { refusal } from '../errors.ts'

export function refreshWithin<F extends Pick<StateFollower, 'refresh'>>(
  follower: F,
  timeoutMs: number,
): F {
  return {
    ...follower,
    async refresh() {
      try {
        await withTimeout(follower.refresh(), timeoutMs, 'following control state')
      } catch (error) {
        throw refusal('unavailable', 'Control state cannot be read at the moment; try again', error)
      }
    },
  }
}
