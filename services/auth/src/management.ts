// What the management endpoints are made of, and how they look things up: in the tables, and once more
// after following control state to its end, since another replica may just have announced it.
import type { Registry } from '@weir/kafka'
import type { Limits, State, Stewardship } from '@weir/streams'
import type { Callers } from './api-keys.ts'
import type { Shape } from './render.ts'
import type { UsageLog } from './usage/usage-log.ts'

export type Management = {
  readonly stewardship: Stewardship
  readonly callers: Callers
  readonly registry: Registry
  readonly defaultLimits: Limits
  readonly usage: Pick<UsageLog, 'ofStream'>
}

/** Endpoints that show streams do it in one of two shapes. */
export type Shown = Management & { readonly shape: Shape }

/** `look` throws `not_found` for what isn't there. */
export async function lookUp<Found>(
  { stewardship }: Management,
  look: (state: State) => Found,
): Promise<Found> {
  const { follower } = stewardship
  try {
    return look(follower.tables)
  } catch {
    await follower.lookAgain()
    return look(follower.tables)
  }
}
