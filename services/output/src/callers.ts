// Who asks, and for which stream: an account by its API key, and streams of its own. What isn't there, or isn't
// theirs, is 404 alike, after a look at control state as it is now.
import type { Accounts, DerivedStream, InputStream, StateFollower } from '@weir/streams'
import { requireInput, requireOutput } from '@weir/streams'
import { Refusal } from './errors.ts'
import type { Call } from './http.ts'

export type Callers = {
  input(call: Call): Promise<InputStream>
  output(call: Call): Promise<{ input: InputStream; stream: DerivedStream }>
}

export function createCallers(
  accounts: Accounts,
  follower: Pick<StateFollower, 'tables' | 'isFresh' | 'lookAgain'>,
): Callers {
  const { tables } = follower

  async function lookUp<Found>(call: Call, look: (billingId: string) => Found): Promise<Found> {
    if (!follower.isFresh())
      throw new Refusal('unavailable', 'Control state is not at hand; try again in a moment')
    const { billingId } = await accounts.byApiKey(call.authorization)
    call.isFrom(billingId)
    try {
      return look(billingId)
    } catch {
      await follower.lookAgain()
      return look(billingId)
    }
  }

  return {
    input: (call) =>
      lookUp(call, (billingId) => requireInput(tables, billingId, call.param('stream'))),
    output: (call) =>
      lookUp(call, (billingId) => {
        const input = requireInput(tables, billingId, call.param('stream'))
        const names = { input: input.name, name: call.param('output') }
        return { input, stream: requireOutput(tables, billingId, names) }
      }),
  }
}
