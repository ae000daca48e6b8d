// Looks something up in control state, and once more after following it to its end: another replica may just have
// announced it. `look` throws for what isn't there.
import type { StateFollower } from '@weir/control-state'

export async function lookUp<Found>(
  { tables, refresh }: Pick<StateFollower, 'tables' | 'refresh'>,
  look: (tables: StateFollower['tables']) => Found,
): Promise<Found> {
  try {
    return look(tables)
  } catch {
    await refresh()
    return look(tables)
  }
}
