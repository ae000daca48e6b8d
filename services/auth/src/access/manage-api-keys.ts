// Accounts and their API keys. A key is shown once and stored as a hash. An account's last `owner` key without an
// expiry can't be deleted, so that an account is never locked out.
import { accountKey, act, keyUseKey, newApiKey, requireAccount } from '@weir/control-state'
import { refusal } from '../errors.ts'
import type { Refusal } from '@weir/http-api'
import type { AccountRecord, ApiKeyRecord, AuditTarget, NewApiKey } from '@weir/control-state'
import type { Changes } from '../control/changes.ts'

const apiKeysMax = 100

export type ApiKeyRequest = Pick<ApiKeyRecord, 'name' | 'role'> & {
  readonly expiresAtMs?: number | undefined
}

/** Creates an account with its first API key. The key is not shown again. */
export async function createAccount(
  deps: Changes,
  billingId: string,
): Promise<NewApiKey & { account: AccountRecord }> {
  const made = newApiKey({ name: 'first key', role: 'owner' }, deps.now())
  const what = act(deps, 'account.create', { account: billingId, ...targetOf(made.apiKey) })
  const account = await deps.writer.change(what, (draft) => {
    if (draft.account(billingId) !== undefined)
      throw refusal('name_taken', `There is an account ${billingId} already`)
    const apiKeys = [made.apiKey]
    const record = { type: 'account', billingId, apiKeys, createdAtMs: deps.now() } as const
    draft.put(accountKey(billingId), record)
    return record
  })
  return { account, ...made }
}

export async function createApiKey(
  deps: Changes,
  billingId: string,
  request: ApiKeyRequest,
): Promise<NewApiKey> {
  const made = newApiKey(request, deps.now())
  const what = act(deps, 'api-key.create', { account: billingId, ...targetOf(made.apiKey) })
  await deps.writer.change(what, (draft) => {
    const account = requireAccount(draft, billingId)
    const { apiKeys } = account
    if (apiKeys.length >= apiKeysMax)
      throw refusal(
        'too_many_api_keys',
        `An account has at most ${apiKeysMax} API keys, including expired keys; delete a key first`,
      )
    // A keyId has 48 random bits, so two equal ones are very unlikely.
    if (apiKeys.some(({ keyId }) => keyId === made.apiKey.keyId))
      throw refusal('unavailable', 'The key could not be created; try again')
    draft.put(accountKey(billingId), { ...account, apiKeys: [...apiKeys, made.apiKey] })
  })
  return made
}

/** Within a second after this resolves, the key gives no access at any replica. */
export async function deleteApiKey(
  deps: Changes,
  billingId: string,
  keyId: string,
): Promise<ApiKeyRecord> {
  const what = act(deps, 'api-key.delete', { account: billingId, keyId })
  return deps.writer.change(what, (draft) => {
    const account = requireAccount(draft, billingId)
    const found = account.apiKeys.find((apiKey) => apiKey.keyId === keyId)
    if (found === undefined) throw noSuchKey(account.apiKeys, keyId)
    const apiKeys = account.apiKeys.filter((apiKey) => apiKey !== found)
    if (isLastingOwner(found) && !apiKeys.some(isLastingOwner)) throw lastOwnerKey()
    draft.put(accountKey(billingId), { ...account, apiKeys })
    if (draft.keyUse(billingId, keyId) !== undefined) draft.put(keyUseKey(billingId, keyId), null)
    draft.addToEntry({ name: found.name, role: found.role })
    return found
  })
}

function noSuchKey(keys: readonly ApiKeyRecord[], keyId: string) {
  const named = keys.filter(({ name }) => name === keyId).map((key) => key.keyId)
  const hint =
    named.length > 0
      ? `id of the key with this name: ${named.join(', ')}`
      : 'list the keys to see their ids'
  return refusal('not_found', `The account has no API key with the id ${keyId}; ${hint}`)
}

const isLastingOwner = ({ role, expiresAtMs }: ApiKeyRecord): boolean =>
  role === 'owner' && expiresAtMs === undefined

const lastOwnerKey = (): Refusal =>
  refusal(
    'last_owner_key',
    'This is the last key with the role owner that never expires; create another such key first',
  )

const targetOf = ({ keyId, name, role, expiresAtMs }: ApiKeyRecord): AuditTarget => ({
  keyId,
  name,
  role,
  ...(expiresAtMs === undefined ? {} : { expiresAt: new Date(expiresAtMs).toISOString() }),
})
