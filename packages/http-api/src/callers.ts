// Which account calls: it proves itself by an API key, which arrives as a bearer token, and has the role that the route
// needs. A handler is given its caller, and finds none itself.
import { requireRole } from '@weir/control-state'
import type { AccountRecord, Accounts, Actor, ApiKeyRecord, Role } from '@weir/control-state'
import type { RouteAnswer, Call, RouteHandler } from './express/answer.ts'

export type Caller = {
  readonly billingId: string
  readonly account: AccountRecord
  readonly apiKey: ApiKeyRecord
  /** For the audit log. */
  readonly actor: AccountActor
}

type AccountActor = Extract<Actor, { kind: 'account' }>

/** A request whose caller is known and may make it. */
export type CallBy<Who> = Call & { readonly caller: Who }
export type HandlerBy<Who> = (call: CallBy<Who>) => RouteAnswer | Promise<RouteAnswer>
export type AccountCall = CallBy<Caller>
export type AccountHandler = HandlerBy<Caller>

/** The call is the account's from here on, also when its key lacks the role.
 * @throws ControlStateError `control-state.invalid_api_key`, `control-state.role_missing` */
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

/** Answers whoever `callerFor` finds. */
export const answering =
  <Who>(callerFor: (call: Call) => Who | Promise<Who>, handler: HandlerBy<Who>): RouteHandler =>
  async (call) =>
    handler({ ...call, caller: await callerFor(call) })
