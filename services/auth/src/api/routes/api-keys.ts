// An account's API keys: listed, created and deleted. Only the response to its creation contains a key.
import { createApiKey, deleteApiKey } from '../../access/manage-api-keys.ts'
import { apiKeyBody } from '../bodies.ts'
import type { RouteAnswer, AccountCall } from '@weir/http-api'
import type { AnswerNamed } from '../answers/answers.ts'
import { acting } from '../management.ts'
import type { Management } from '../management.ts'
import { checkBody, readJson } from '@weir/http-api'
import { apiKeyOf } from '../render.ts'

const dayMs = 86_400_000

export const listApiKeys =
  ({ state }: Pick<Management, 'state'>) =>
  ({ caller: { account } }: AccountCall): RouteAnswer => {
    const { tables } = state
    const body = account.apiKeys.map((apiKey) =>
      apiKeyOf(apiKey, tables.keyUse(account.billingId, apiKey.keyId)?.usedAtMs),
    )
    return { status: 200, body }
  }

export const createApiKeyRoute =
  (deps: Pick<Management, 'accounts'>) =>
  async (call: AccountCall): Promise<RouteAnswer<AnswerNamed<'NewApiKey'>>> => {
    const { caller } = call
    const { name, role, expiresInDays } = checkBody(apiKeyBody, await readJson(call))
    const expiresAtMs =
      expiresInDays === undefined ? undefined : deps.accounts.now() + expiresInDays * dayMs
    const request = { name, role, expiresAtMs }
    const made = await createApiKey(acting(deps.accounts, caller), caller.billingId, request)
    return { status: 201, body: { ...apiKeyOf(made.apiKey), apiKey: made.secret } }
  }

export const deleteApiKeyRoute =
  (deps: Pick<Management, 'accounts'>) =>
  async (call: AccountCall): Promise<RouteAnswer<AnswerNamed<'DeletedApiKeys'>>> => {
    const { caller } = call
    const deleted = await deleteApiKey(
      acting(deps.accounts, caller),
      caller.billingId,
      call.param('keyId'),
    )
    return { status: 200, body: { deleted: [apiKeyOf(deleted)] } }
  }
