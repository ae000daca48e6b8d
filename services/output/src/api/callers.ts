// Who asks, and for which stream: an account by its API key, whose role the route asks for, and streams of its own. What
// isn't there, or isn't theirs, is 404 alike, after a look at control state as it is now.
import type {
  Accounts,
  DerivedStream,
  InputStream,
  Role,
  StateFollower,
  StreamRecord,
} from '@weir/control-state'
import { requireInput, requireOutput, requireRole } from '@weir/control-state'
import { refusal } from '../errors.ts'
import { callerOf, lookUp } from '@weir/http-api'
import type { Call, Caller } from '@weir/http-api'

export type AccountCall = Call & { readonly caller: Caller }

export type Callers = {
  /** @throws Refusal `invalid_api_key`, `role_missing`; Refusal `unavailable` */
  withRole(call: Call, needs: Role): Promise<Caller>
  input(call: AccountCall): Promise<InputStream>
  output(call: AccountCall): Promise<{ input: InputStream; stream: DerivedStream }>
}

export function createCallers(
  accounts: Accounts,
  follower: Pick<StateFollower, 'tables' | 'isFresh' | 'refresh'>,
): Callers {
  return {
    async withRole(call, needs) {
      if (!follower.isFresh())
        throw refusal('unavailable', 'Control state is not available; try again in a moment')
      const caller = await callerOf(accounts, call)
      requireRole(caller.apiKey, needs)
      return caller
    },
    input: (call) =>
      lookUp(follower, (tables) =>
        requireInput(tables, call.caller.billingId, call.param('stream')),
      ),
    output: (call) =>
      lookUp(follower, (tables) => {
        const { billingId } = call.caller
        const input = requireInput(tables, billingId, call.param('stream'))
        const names = { input: input.name, name: call.param('output') }
        return { input, stream: requireOutput(tables, billingId, names) }
      }),
  }
}

/** For the audit log: which stream somebody reads. */
export const targetOf = (stream: StreamRecord) =>
  stream.kind === 'input'
    ? { account: stream.billingId, stream: stream.name }
    : { account: stream.billingId, stream: stream.linkedStream, output: stream.name }
