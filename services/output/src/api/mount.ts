// Mounts a route of the table for those whom it names. For a route that asks for a role, the handler gets who calls.
import { isRole } from '@weir/control-state'
import type { Role } from '@weir/control-state'
import { answering, mount } from '@weir/http-api'
import type { AccountHandler, RouteHandler } from '@weir/http-api'
import type { Express } from 'express'
import type { CallerWithRole } from '../access/callers.ts'
import { needsOf } from './route-needs.ts'
import type { Route, RouteNeedsOfOutput } from './route-needs.ts'

type HandlerOf<Of extends Route> = RouteNeedsOfOutput[Of] extends Role
  ? AccountHandler
  : RouteHandler

export function mountRoute<Of extends Route>(
  { app, callerWithRole }: { readonly app: Express; readonly callerWithRole: CallerWithRole },
  of: Of,
  handler: HandlerOf<Of>,
): void {
  const [method = '', path = ''] = of.split(' ')
  const needs = needsOf(of)
  const answer: RouteHandler = isRole(needs)
    ? answering((call) => callerWithRole(call, needs), handler)
    : asOpen(handler)
  mount({ app, needsOf }, path, { [method]: answer })
}

/** The table types a handler by what its route needs, which is what `isRole` goes by, too. */
const asOpen = (handler: AccountHandler): RouteHandler => handler as unknown as RouteHandler
