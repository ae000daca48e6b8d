// Mounts a route of access/route-needs.ts and enforces what it needs. If a route needs a role, its handler gets the
// caller.
import { isRole } from '@weir/control-state'
import type { AccessTrace, Reading, Role } from '@weir/control-state'
import { answering, mount, tellingRefusals } from '@weir/http-api'
import type { AccountHandler, RouteHandler } from '@weir/http-api'
import type { Express } from 'express'
import type { CallerWithRole } from '../access/callers.ts'
import { errors } from '../errors.ts'
import { needsOf } from '../access/route-needs.ts'
import type { Route, RouteNeedsOfOutput } from '../access/route-needs.ts'

type HandlerOf<Of extends Route> = RouteNeedsOfOutput[Of] extends Role
  ? AccountHandler
  : RouteHandler

/** The action that the audit log records for a refused request, if not `read.refused`. */
const actionOf: { readonly [Of in Route]?: Reading['action'] } = {
  'POST /v2/streams/:stream/outputs/preview': 'read.preview',
  'GET /v2/streams/:stream/outputs/:output/dead': 'read.dead',
  'POST /v2/streams/:stream/outputs/:output/dead/retry': 'dead.retry',
}

export type Mounting = {
  readonly app: Express
  readonly callerWithRole: CallerWithRole
  readonly trace: Pick<AccessTrace, 'refused'>
}

export function mountRoute<Of extends Route>(
  { app, callerWithRole, trace }: Mounting,
  of: Of,
  handler: HandlerOf<Of>,
): void {
  const [method = '', path = ''] = of.split(' ')
  const needs = needsOf(of)
  const answer: RouteHandler = isRole(needs)
    ? tellingRefusals(
        errors,
        answering((call) => callerWithRole(call, needs), handler),
        ({ actor, target, code }) => {
          if (actor.kind !== 'account') return
          const { [of]: action } = actionOf
          const what =
            action === undefined
              ? ({ action: 'read.refused', target: { ...target, route: of } } as const)
              : { action, target }
          trace.refused({ ...what, actor, refused: code })
        },
      )
    : asOpen(handler)
  mount({ app, needsOf }, path, { [method]: answer })
}

/**
 * Safe, because `HandlerOf` derives the handler's type from the route's needs, and `isRole` has checked the same needs.
 */
const asOpen = (handler: AccountHandler): RouteHandler => handler as unknown as RouteHandler
