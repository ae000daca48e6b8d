// Looks up an object in control state. If it is missing, reads control state to its end and tries again, because
// another replica may have just created it. `look` throws if the object is missing, or isn't the caller's.
import { requireInput, requireOutput } from '@weir/control-state'
import type { DerivedStream, InputStream, StateFollower } from '@weir/control-state'
import type { AccountCall } from './callers.ts'

type State = Pick<StateFollower, 'tables' | 'refresh'>
type Tables = StateFollower['tables']

export async function lookUp<Found>(
  { tables, refresh }: State,
  look: (tables: Tables) => Found,
): Promise<Found> {
  try {
    return look(tables)
  } catch {
    await refresh()
    return look(tables)
  }
}

/** Looks up the calling account's input stream in the path, and passes it to `look`. */
export const lookUpByInput = <Found>(
  state: State,
  call: AccountCall,
  look: (input: InputStream, tables: Tables) => Found,
): Promise<Found> =>
  lookUp(state, (tables) => {
    const input = requireInput(tables, call.caller.billingId, call.param('stream'))
    return look(input, tables)
  })

export const lookUpInput = (state: State, call: AccountCall): Promise<InputStream> =>
  lookUpByInput(state, call, (input) => input)

/** Looks up the output in the path, and its input stream. */
export const lookUpOutput = (
  state: State,
  call: AccountCall,
): Promise<{ readonly input: InputStream; readonly stream: DerivedStream }> =>
  lookUpByInput(state, call, (input, tables) => {
    const names = { input: input.name, name: call.param('output') }
    return { input, stream: requireOutput(tables, call.caller.billingId, names) }
  })
