// Which callers a route needs: each service has one table of its routes, in its `route-needs.ts`, and nothing else is
// mounted.
import type { Needs, RouteNeeds } from '@weir/control-state'

/** @throws Error for a route that isn't in the table: the service doesn't start with it */
export const needsIn =
  (table: RouteNeeds) =>
  (route: string): Needs => {
    const found = Object.entries<Needs>(table).find(([known]) => known === route)
    if (found === undefined) throw new Error(`${route} has no entry in route-needs.ts`)
    return found[1]
  }
