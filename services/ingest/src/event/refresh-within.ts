// Refreshes control state for requests whose look-up failed. It takes at most as long as Kafka may take to acknowledge
// an event. Every failure becomes 503.
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
