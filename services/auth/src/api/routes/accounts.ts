// Accounts: created, limited and deleted by the platform, and readable with their API keys.
import { createAccount, createApiKey } from '../../access/manage-api-keys.ts'
import type { PlatformCall } from '../managed.ts'
import { requireAccount } from '@weir/control-state'
import type { AccountRecord } from '@weir/control-state'
import { setQuotas, usedBy } from '../../control/quotas.ts'
import { accountBody, quotasBody } from '../bodies.ts'
import type { RouteAnswer, AccountCall } from '@weir/http-api'
import type { AnswerNamed } from '../answers/answers.ts'
import { deleteAccount } from '../../control/streams/delete-stream.ts'
import { acting } from '../management.ts'
import type { Management, Shown } from '../management.ts'
import { checkBody, readJson } from '@weir/http-api'
import { accountOf, apiKeyOf, quotasShown } from '../render.ts'

export const createAccountRoute =
  (deps: Pick<Management, 'accounts'>) =>
  async (call: PlatformCall): Promise<RouteAnswer<AnswerNamed<'NewAccount'>>> => {
    const { billingId } = checkBody(accountBody, await readJson(call))
    const { account, apiKey, secret } = await createAccount(
      acting(deps.accounts, call.caller),
      billingId,
    )
    return {
      status: 201,
      body: { ...accountOf(account, [], []), key: apiKeyOf(apiKey), apiKey: secret },
    }
  }

/** The response has the same form as for the deletion of a stream. */
export const deleteAccountRoute =
  (deps: Pick<Shown, 'streams' | 'shape'>) =>
  async (call: PlatformCall): Promise<RouteAnswer> => {
    const deleted = await deleteAccount(acting(deps.streams, call.caller), call.param('billingId'))
    return { status: 200, body: deps.shape.deleted(deleted) }
  }

/** Creates another owner key, for an account that has lost its last owner key. */
export const createOwnerKeyRoute =
  (deps: Pick<Management, 'accounts'>) =>
  async (call: PlatformCall): Promise<RouteAnswer<AnswerNamed<'NewOwnerKey'>>> => {
    const billingId = call.param('billingId')
    const request = { name: 'created by the platform', role: 'owner' } as const
    const { apiKey, secret } = await createApiKey(
      acting(deps.accounts, call.caller),
      billingId,
      request,
    )
    return { status: 201, body: { billingId, ...apiKeyOf(apiKey), apiKey: secret } }
  }

export const showQuotas =
  ({ state }: Pick<Management, 'state'>) =>
  (call: PlatformCall): RouteAnswer<AnswerNamed<'AccountQuotas'>> => {
    const account = requireAccount(state.tables, call.param('billingId'))
    return quotasAnswer(state, account)
  }

export const changeQuotas =
  ({ state, accounts }: Pick<Management, 'state' | 'accounts'>) =>
  async (call: PlatformCall): Promise<RouteAnswer<AnswerNamed<'AccountQuotas'>>> => {
    const quotas = definedIn(checkBody(quotasBody, await readJson(call)))
    const billingId = call.param('billingId')
    return quotasAnswer(state, await setQuotas(acting(accounts, call.caller), billingId, quotas))
  }

function quotasAnswer({ tables }: Management['state'], account: AccountRecord) {
  const { billingId } = account
  const quotas = quotasShown(account, usedBy(tables, billingId))
  return { status: 200, body: { billingId, quotas } }
}

const definedIn = <Value>(members: Readonly<Record<string, Value | undefined>>) =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )

/** Includes the calling key, so that its holder sees its role. */
export const showAccount =
  ({ state, erasures }: Pick<Management, 'state' | 'erasures'>) =>
  ({ caller: { account, apiKey } }: AccountCall): RouteAnswer<AnswerNamed<'Account'>> => {
    const { tables } = state
    const streams = tables.streamsOf(account.billingId)
    const contracts = tables.contractsOf(account.billingId)
    const bound = {
      erased: tables.erasedValues().get(account.billingId) ?? 0,
      erasedMax: erasures.erasuresMax,
    }
    const shown = accountOf(account, streams, contracts)
    const quotas = quotasShown(account, usedBy(tables, account.billingId))
    return { status: 200, body: { ...shown, ...bound, quotas, key: apiKeyOf(apiKey) } }
  }
