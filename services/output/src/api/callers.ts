// Who asks, and for which stream: an account by its API key, whose role the route asks for, and streams of its own. What
// isn't there, or isn't theirs, is 404 alike, after a look at control state as it is now.
import type {
  Accounts,
  ApiKeyRecord,
  DerivedStream,
  InputStream,
  Reading,
  Role,
  StateFollower,
  StreamRecord,
} from '@weir/control-state'
import { requireInput, requireOutput, requireRole } from '@weir/control-state'
import { Refusal } from '../errors.ts'
import type { Call } from './http.ts'

export type Caller = {
  readonly billingId: string
  readonly apiKey: ApiKeyRecord
  /** For the audit log. */
  readonly actor: Reading['actor']
}

export type AccountCall = Call & { readonly caller: Caller }

export type Callers = {
  /** @throws AppError `invalid_api_key`, `role_missing`; Refusal `unavailable` */
  withRole(call: Call, needs: Role): Promise<Caller>
  input(call: AccountCall): Promise<InputStream>
  output(call: AccountCall): Promise<{ input: InputStream; stream: DerivedStream }>
}

export function createCallers(
  accounts: Accounts,
  follower: Pick<StateFollower, 'tables' | 'isFresh' | 'refresh'>,
): Callers {
  const { tables } = follower

  async function lookUp<Found>(look: () => Found): Promise<Found> {
    try {
      return look()
    } catch {
      await follower.refresh()
      return look()
    }
  }

  return {
    async withRole(call, needs) {
      if (!follower.isFresh())
        throw new Refusal('unavailable', 'Control state is not available; try again in a moment')
      const { account, apiKey } = await accounts.byApiKey(call.authorization)
      const { billingId } = account
      call.isFrom(billingId)
      requireRole(apiKey, needs)
      const { keyId, name } = apiKey
      const { requestId } = call
      return { billingId, apiKey, actor: { kind: 'account', billingId, keyId, name, requestId } }
    },
    input: (call) =>
      lookUp(() => requireInput(tables, call.caller.billingId, call.param('stream'))),
    output: (call) =>
      lookUp(() => {
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
