// A request with a failed look-up waits for a refresh of control state at most as long as for Kafka. Every failure
// becomes 503.
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
