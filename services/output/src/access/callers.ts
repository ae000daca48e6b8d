// Identifies the calling account by its API key, which must have the role that the route needs. While control state is
// stale, every call is refused.
import type { Accounts, Role, StateFollower } from '@weir/control-state'
import { callerOf } from '@weir/http-api'
import type { Call, Caller } from '@weir/http-api'
import { refusal } from '../errors.ts'

/** @throws ControlStateError `control-state.invalid_api_key`, `control-state.role_missing`; Refusal `unavailable` */
export type CallerWithRole = (call: Call, needs: Role) => Promise<Caller>

export const createCallerWithRole =
  (accounts: Accounts, follower: Pick<StateFollower, 'isFresh'>): CallerWithRole =>
  async (call, needs) => {
    if (!follower.isFresh())
      throw refusal('unavailable', 'Control state is not available; try again in a moment')
    return callerOf(accounts, call, needs)
  }
