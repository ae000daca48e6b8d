// Looks up who may call a route. Each service has one table of its routes, in its `route-needs.ts`, and mounts no other
// routes.
import type { Needs, RouteNeeds } from '@weir/control-state'

/** @throws Error for a route that isn't in the table. The service then fails to start. */
export const needsIn =
  (table: RouteNeeds) =>
  (route: string): Needs => {
    const found = Object.entries<Needs>(table).find(([known]) => known === route)
    if (found === undefined) throw new Error(`${route} has no entry in route-needs.ts`)
    return found[1]
  }
