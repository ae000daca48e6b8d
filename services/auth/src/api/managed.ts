// Endpoints of management. Who may call one is told by the table of routes and settled here, before its handler runs: a
// handler is given its caller, and finds none itself. One that changes something names its action, so that what is refused
// there is told in the audit log, too; the types ask for it. What is done is told by the writer of control state.
import type { Express } from 'express'
import { hasCode } from '@weir/kit'
import { isRole } from '@weir/control-state'
import type { Actor, AuditAction, AuditTarget, Needs, Role } from '@weir/control-state'
import type { Callers, Platform } from '../access/callers.ts'
import { errors } from '../errors.ts'
import type { Method } from '@weir/docs'
import { answering, mount } from '@weir/http-api'
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

/** A handler that changes something, and what it does to the audit log. */
export type Managed<Who> = { readonly action: AuditAction; readonly handler: HandlerBy<Who> }

export const audited = <Who>(action: AuditAction, handler: HandlerBy<Who>): Managed<Who> => ({
  action,
  handler,
})

type NeedOf<M extends Method, Path extends string> = `${M} /v2${Path}` extends Route
  ? RouteNeedsOfAuth[`${M} /v2${Path}`]
  : never

/** Handlers for the methods that the table knows of this path, and no others. */
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
    mounted[method] = watched(deps, needsOf(`${method} ${base}${path}`), asManaged(managed))
  mount({ app, needsOf }, base + path, mounted)
}

type AnyManaged = {
  readonly action?: AuditAction
  readonly handler: HandlerBy<Caller | Platform>
}

/** The table, which types the handlers by who calls them, is what `callerFor` goes by, too. */
const asManaged = (managed: unknown): AnyManaged =>
  (typeof managed === 'function' ? { handler: managed } : managed) as AnyManaged

async function callerFor(callers: Callers, needs: Needs, call: Call): Promise<Caller | Platform> {
  if (needs === 'platform') return callers.platform(call)
  if (needs === 'platform or viewer') return callers.viewerOrPlatform(call)
  if (!isRole(needs)) throw new Error(`no caller is known for a route that needs ${needs}`)
  return callers.account(call, needs)
}

function watched(
  { refusals, callers }: ManagedDeps,
  needs: Needs,
  { handler, action }: AnyManaged,
): RouteHandler {
  const answer = answering((call) => callerFor(callers, needs, call), handler)
  return async (call) => {
    let actor: Actor | undefined
    const isFrom: Call['isFrom'] = (caller, who) => {
      actor = who
      call.isFrom(caller, who)
    }
    try {
      return await answer({ ...call, isFrom })
    } catch (error) {
      if (hasCode(error, 'control-state.invalid_api_key', 'invalid_platform_key')) refusals.denied()
      const refused = errors.refusalOf(error)
      if (actor !== undefined && action !== undefined && errors.statusOf(refused) < 500)
        refusals.refused({ action, actor, target: targetOf(call, actor), code: refused.code })
      throw error
    }
  }
}

const name = /^(?=.{1,63}$)[a-z0-9](-?[a-z0-9])*$/
const forms = {
  stream: name,
  output: name,
  contract: /^[\w.:/-]{1,200}$/,
  clientId: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  keyId: /^[0-9a-f]{12}$/,
}

/** What the path names, as far as it can be a name: anything may be asked for. */
function targetOf(call: Call, actor: Actor): AuditTarget {
  const named = Object.entries(forms).flatMap(([what, form]) => {
    const text = call.param(what)
    return form.test(text) ? [[what, text] as const] : []
  })
  const account = actor.kind === 'account' ? actor.billingId : call.param('billingId')
  return { ...(name.test(account) ? { account } : {}), ...Object.fromEntries(named) }
}
