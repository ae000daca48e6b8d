// Endpoints of management. One that changes something names its action, so that what is refused there is told in the
// audit log, too; the type of `mountManaged` asks for it. What is done is told by the writer of control state.
import type { Express } from 'express'
import { hasCode } from '@weir/kit'
import type { Actor, AuditAction, AuditTarget } from '@weir/streams'
import { refusalOf, statusOf } from '../errors.ts'
import { mount } from '../http.ts'
import type { Call, Handler } from '../http.ts'
import type { Refusals } from './refusals.ts'

/** A handler that changes something, and what it does to the audit log. */
export type Managed = { readonly action: AuditAction; readonly handler: Handler }

export const audited = (action: AuditAction, handler: Handler): Managed => ({ action, handler })

export type ManagedHandlers = {
  readonly GET?: Handler
  readonly POST?: Managed
  readonly PATCH?: Managed
  readonly DELETE?: Managed
}

export function mountManaged(
  app: Express,
  path: string,
  { refusals, handlers }: { refusals: Refusals; handlers: ManagedHandlers },
): void {
  const mounted: Record<string, Handler> = {}
  for (const [method, managed] of Object.entries(handlers))
    mounted[method] = watched(
      refusals,
      typeof managed === 'function' ? { handler: managed } : managed,
    )
  mount(app, path, mounted)
}

function watched(
  refusals: Refusals,
  { handler, action }: { readonly handler: Handler; readonly action?: AuditAction },
): Handler {
  return async (call) => {
    let actor: Actor | undefined
    const isFrom: Call['isFrom'] = (caller, who) => {
      actor = who
      call.isFrom(caller, who)
    }
    try {
      return await handler({ ...call, isFrom })
    } catch (error) {
      if (hasCode(error, 'invalid_api_key', 'invalid_platform_key')) refusals.denied()
      const refusal = refusalOf(error)
      if (actor !== undefined && action !== undefined && statusOf(refusal) < 500)
        refusals.refused({ action, actor, target: targetOf(call, actor), code: refusal.code })
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
