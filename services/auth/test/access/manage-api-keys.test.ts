// Accounts and their API keys: their maximum number, the keys that can't be deleted, and when a key is valid.
import { expect, test } from '@jest/globals'
import { createAccounts, hashSecret } from '@weir/control-state'
import { createAccount, createApiKey, deleteApiKey } from '../../src/access/manage-api-keys.ts'
import { memoryControl } from '../control/support-memory.ts'

const dayMs = 86_400_000

test('an API key is kept as its hash alone, and the first one is an owner', async () => {
  const { deps, follower } = memoryControl()
  const { secret, apiKey } = await createAccount(deps, 'new')
  expect(follower.tables.apiKey(hashSecret(secret))).toMatchObject({
    account: { billingId: 'new' },
    apiKey: { keyId: hashSecret(secret).slice(0, 12), role: 'owner' },
  })
  expect(apiKey.role).toBe('owner')
  expect(JSON.stringify(follower.tables.account('new'))).not.toContain(secret)
  await expect(createAccount(deps, 'new')).rejects.toMatchObject({ code: 'name_taken' })
})

test('the 101st key is refused, and none is pushed out', async () => {
  const { deps, follower } = memoryControl()
  const { secret: first } = await createAccount(deps, 'new')
  const request = { name: 'one more', role: 'viewer' } as const
  for (let count = 1; count < 100; count++) await createApiKey(deps, 'new', request)
  await expect(createApiKey(deps, 'new', request)).rejects.toMatchObject({
    code: 'too_many_api_keys',
    message: expect.stringContaining('delete a key first'),
  })
  expect(follower.tables.account('new')?.apiKeys).toHaveLength(100)
  expect(follower.tables.apiKey(hashSecret(first))).toBeDefined()
  await expect(createApiKey(deps, 'nobody', request)).rejects.toMatchObject({
    code: 'control-state.not_found',
  })
})

test('the last owner key that never expires cannot be deleted, whatever other keys there are', async () => {
  const { deps } = memoryControl()
  const { apiKey: first } = await createAccount(deps, 'new')
  await createApiKey(deps, 'new', { name: 'a developer', role: 'developer' })
  const inADay = deps.now() + dayMs
  await createApiKey(deps, 'new', { name: 'for a day', role: 'owner', expiresAtMs: inADay })
  const refused = { code: 'last_owner_key' }
  await expect(deleteApiKey(deps, 'new', first.keyId)).rejects.toMatchObject(refused)
  const { apiKey: second } = await createApiKey(deps, 'new', { name: 'second', role: 'owner' })
  expect(await deleteApiKey(deps, 'new', first.keyId)).toMatchObject({ name: 'first key' })
  await expect(deleteApiKey(deps, 'new', second.keyId)).rejects.toMatchObject(refused)
  await expect(deleteApiKey(deps, 'new', first.keyId)).rejects.toMatchObject({ code: 'not_found' })
})

test('a key is good until it expires or is deleted, and its holder stops being good at that moment', async () => {
  const memory = memoryControl()
  const { deps, follower } = memory
  const accounts = createAccounts(follower, deps.now)
  await createAccount(deps, 'new')
  const expiresAtMs = deps.now() + dayMs
  const short = await createApiKey(deps, 'new', { name: 'short', role: 'viewer', expiresAtMs })
  const other = await createApiKey(deps, 'new', { name: 'other', role: 'viewer' })
  const [ofShort, ofOther] = [`Bearer ${short.secret}`, `Bearer ${other.secret}`]
  const holders = [await accounts.byApiKey(ofShort), await accounts.byApiKey(ofOther)]
  const areGood = () => holders.map((holder) => accounts.isGood(holder))
  expect(areGood()).toEqual([true, true])

  memory.passTime(dayMs)
  await deleteApiKey(deps, 'new', other.apiKey.keyId)

  expect(areGood()).toEqual([false, false])
  await expect(accounts.byApiKey(ofShort)).rejects.toMatchObject({
    code: 'control-state.invalid_api_key',
    message: expect.stringContaining('expired'),
  })
  await expect(accounts.byApiKey(ofOther)).rejects.toMatchObject({
    code: 'control-state.invalid_api_key',
  })
  await expect(accounts.byApiKey('Bearer eyJhbGci.eyJhIjoxfQ.c2ln')).rejects.toMatchObject({
    code: 'control-state.invalid_api_key',
    message: 'This is a token; an API key of the account is needed, which begins with weir_',
  })
})

test('who creates and deletes a key is in the audit log, with its name and role and without the key', async () => {
  const { deps, entries } = memoryControl()
  await createAccount(deps, 'new')
  const { apiKey, secret } = await createApiKey(deps, 'new', { name: 'ci', role: 'developer' })
  await deleteApiKey(deps, 'new', apiKey.keyId)
  const target = { account: 'new', keyId: apiKey.keyId, name: 'ci', role: 'developer' }
  expect(entries.slice(-2)).toMatchObject([
    { action: 'api-key.create', target, outcome: 'done' },
    { action: 'api-key.delete', target, outcome: 'done' },
  ])
  expect(JSON.stringify(entries)).not.toContain(secret)
})
