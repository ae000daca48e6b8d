// Mounts management endpoints. Before a handler runs, the caller is checked against the table of routes
// (route-needs.ts). An endpoint that changes something must name its action, for the audit entries of its refusals.
// The writer of control state logs successful changes.
import type { Express } from 'express'
import { hasCode } from '@weir/kit'
import { isRole } from '@weir/control-state'
import type { AuditAction, Needs, Role } from '@weir/control-state'
import type { Callers, Platform } from '../access/callers.ts'
import { errors } from '../errors.ts'
import type { Method } from '@weir/docs'
import { answering, mount, tellingRefusals } from '@weir/http-api'
import type { Call, CallBy, Caller, HandlerBy, RouteHandler } from '@weir/http-api'
import { needsOf } from './route-needs.ts'
import type { Route, RouteNeedsOfAuth } from './route-needs.ts'
import type { Refusals } from '../control/audit/refusals.ts'

export type PlatformCall = CallBy<Platform>

type CallerWho<Need extends Needs> = Need extends Role
  ? Caller
  : Need extends 'platform'
    ? Platform
    : Caller | Platform

/** A handler that changes something, with the action for the audit log. */
export type Managed<Who> = { readonly action: AuditAction; readonly handler: HandlerBy<Who> }

export const audited = <Who>(action: AuditAction, handler: HandlerBy<Who>): Managed<Who> => ({
  action,
  handler,
})

type NeedOf<M extends Method, Path extends string> = `${M} /v2${Path}` extends Route
  ? RouteNeedsOfAuth[`${M} /v2${Path}`]
  : never

/** Handlers for the methods that the table of routes has for this path. */
export type ManagedHandlers<Path extends string> = {
  readonly [M in Method as NeedOf<M, Path> extends never ? never : M]?: M extends 'GET'
    ? HandlerBy<CallerWho<NeedOf<M, Path>>>
    : Managed<CallerWho<NeedOf<M, Path>>>
}

export type ManagedDeps = { readonly refusals: Refusals; readonly callers: Callers }

export function mountManaged<Path extends string>(
  app: Express,
  { base, path, deps }: { base: '/v1' | '/v2'; path: Path; deps: ManagedDeps },
  handlers: ManagedHandlers<Path>,
): void {
  const mounted: Record<string, RouteHandler> = {}
  for (const [method, managed] of Object.entries(handlers))
    mounted[method] = watched(deps, `${method} ${base}${path}`, asManaged(managed))
  mount({ app, needsOf }, base + path, mounted)
}

type AnyManaged = {
  readonly action?: AuditAction
  readonly handler: HandlerBy<Caller | Platform>
}

/**
 * The cast is safe, because the same table of routes gives a handler its type and determines its caller in `callerFor`.
 */
const asManaged = (managed: unknown): AnyManaged =>
  (typeof managed === 'function' ? { handler: managed } : managed) as AnyManaged

async function callerFor(callers: Callers, needs: Needs, call: Call): Promise<Caller | Platform> {
  if (needs === 'platform') return callers.platform(call)
  if (needs === 'platform or viewer') return callers.viewerOrPlatform(call)
  if (!isRole(needs)) throw new Error(`no caller is known for a route that needs ${needs}`)
  return callers.account(call, needs)
}

const counting =
  (callers: Callers, handler: AnyManaged['handler']): AnyManaged['handler'] =>
  async (call) => {
    const { body, ...answer } = await handler(call)
    const text = typeof body === 'string' ? body : `${JSON.stringify(body)}\n`
    if ('account' in call.caller) callers.answered(call.caller, Buffer.byteLength(text))
    return { ...answer, body: text }
  }

function watched(
  { refusals, callers }: ManagedDeps,
  route: string,
  { handler, action }: AnyManaged,
): RouteHandler {
  const needs = needsOf(route)
  const found = answering((call) => callerFor(callers, needs, call), counting(callers, handler))
  const answer = tellingRefusals(errors, found, ({ target, ...refused }) =>
    refusals.refused(
      action === undefined
        ? { ...refused, action: 'read.refused', target: { ...target, route } }
        : { ...refused, action, target },
    ),
  )
  return async (call) => {
    try {
      return await answer(call)
    } catch (error) {
      if (hasCode(error, 'control-state.invalid_api_key', 'invalid_platform_key')) refusals.denied()
      throw error
    }
  }
}
