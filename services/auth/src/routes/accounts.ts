// Accounts: made by the platform, looked at by themselves.
import { addApiKey, createAccount } from '@weir/streams'
import { accountBody } from '../bodies.ts'
import type { Handler } from '../http.ts'
import { acting } from '../management.ts'
import type { Management } from '../management.ts'
import { check, readJson } from '../read-json.ts'
import { accountOf } from '../render.ts'

export const makeAccount =
  (deps: Management): Handler =>
  async (call) => {
    const caller = deps.callers.platform(call)
    const { billingId } = check(accountBody, await readJson(call))
    const { account, apiKey } = await createAccount(acting(deps, caller), billingId)
    return { status: 201, body: { ...accountOf(account, [], []), apiKey } }
  }

/** One more key, for whoever lost the first. */
export const makeApiKey =
  (deps: Management): Handler =>
  async (call) => {
    const caller = deps.callers.platform(call)
    const { account, apiKey } = await addApiKey(acting(deps, caller), call.param('billingId'))
    return { status: 201, body: { billingId: account.billingId, apiKey } }
  }

export const showAccount =
  ({ stewardship, callers }: Management): Handler =>
  async (call) => {
    const { account } = await callers.account(call)
    const { tables } = stewardship.follower
    const streams = tables.streamsOf(account.billingId)
    const contracts = tables.contractsOf(account.billingId)
    const bound = {
      erased: tables.erasedValues().get(account.billingId) ?? 0,
      erasedMax: stewardship.erasuresMax,
    }
    return { status: 200, body: { ...accountOf(account, streams, contracts), ...bound } }
  }
