// Finds the calling account. The caller authenticates with an API key, sent as a bearer token. The key must have the
// role that the route needs. A handler gets its caller with the call.
import { requireRole } from '@weir/control-state'
import type {
  AccountRecord,
  Accounts,
  Actor,
  ApiKeyRecord,
  AuditTarget,
  Role,
} from '@weir/control-state'
import type { Errors } from './errors.ts'
import type { RouteAnswer, Call, RouteHandler } from './express/answer.ts'

export type Caller = {
  readonly billingId: string
  readonly account: AccountRecord
  readonly apiKey: ApiKeyRecord
  readonly actor: AccountActor
}

type AccountActor = Extract<Actor, { kind: 'account' }>

/** A request whose caller is known and permitted. */
export type CallBy<Who> = Call & { readonly caller: Who }
export type HandlerBy<Who> = (call: CallBy<Who>) => RouteAnswer | Promise<RouteAnswer>
export type AccountCall = CallBy<Caller>
export type AccountHandler = HandlerBy<Caller>

/**
 * Authenticates the caller. Sets the account as the caller of the request, even if the key lacks the role.
 * @throws ControlStateError `control-state.invalid_api_key`, `control-state.role_missing`
 */
export async function callerOf(
  accounts: Pick<Accounts, 'byApiKey'>,
  call: Call,
  needs: Role,
): Promise<Caller> {
  const { account, apiKey } = await accounts.byApiKey(call.header('authorization'))
  const { billingId } = account
  const { keyId, name } = apiKey
  const { requestId } = call
  const actor: AccountActor = { kind: 'account', billingId, keyId, name, requestId }
  call.isFrom(billingId, actor)
  requireRole(apiKey, needs)
  return { billingId, account, apiKey, actor }
}

/** Returns a route handler that calls `handler` with the caller that `callerFor` finds. */
export const answering =
  <Who>(callerFor: (call: Call) => Who | Promise<Who>, handler: HandlerBy<Who>): RouteHandler =>
  async (call) =>
    handler({ ...call, caller: await callerFor(call) })

/** A refused request and its caller, for the audit log. */
export type RefusedCall = {
  readonly actor: Actor
  readonly target: AuditTarget
  readonly code: string
}

/** Returns a handler that also reports refused requests of known callers, but no failures of the service. */
export const tellingRefusals =
  (
    errors: Errors<string>,
    handler: RouteHandler,
    tell: (refused: RefusedCall) => void,
  ): RouteHandler =>
  async (call) => {
    let actor: Actor | undefined
    const isFrom: Call['isFrom'] = (caller, who) => {
      actor = who
      call.isFrom(caller, who)
    }
    try {
      return await handler({ ...call, isFrom })
    } catch (error) {
      const refused = errors.refusalOf(error)
      if (actor !== undefined && errors.statusOf(refused) < 500)
        tell({ actor, target: targetOf(call, actor), code: refused.code })
      throw error
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

/** Returns the names in the path, but only valid names, because a request may contain any text. */
function targetOf(call: Call, actor: Actor): AuditTarget {
  const named = Object.entries(forms).flatMap(([what, form]) => {
    const text = call.param(what)
    return form.test(text) ? [[what, text] as const] : []
  })
  const account = actor.kind === 'account' ? actor.billingId : call.param('billingId')
  return { ...(name.test(account) ? { account } : {}), ...Object.fromEntries(named) }
}
