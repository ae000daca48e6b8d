// Which account calls: it proves itself by an API key, which arrives as a bearer token. What it may do is told by the
// route's needs.
import type { AccountRecord, Accounts, Actor, ApiKeyRecord } from '@weir/control-state'
import type { Call } from './express/answer.ts'

export type Caller = {
  readonly billingId: string
  readonly account: AccountRecord
  readonly apiKey: ApiKeyRecord
  /** For the audit log. */
  readonly actor: AccountActor
}

type AccountActor = Extract<Actor, { kind: 'account' }>

/** @throws ControlStateError `control-state.invalid_api_key` */
export async function callerOf(accounts: Pick<Accounts, 'byApiKey'>, call: Call): Promise<Caller> {
  const { account, apiKey } = await accounts.byApiKey(call.header('authorization'))
  const { billingId } = account
  const { keyId, name } = apiKey
  const { requestId } = call
  const actor: AccountActor = { kind: 'account', billingId, keyId, name, requestId }
  call.isFrom(billingId, actor)
  return { billingId, account, apiKey, actor }
}
