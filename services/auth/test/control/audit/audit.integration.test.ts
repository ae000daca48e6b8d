// The audit log. Every route that changes something leaves exactly one entry, which names the actor, the action and the
// target, and contains no secret. An account sees its own entries. The tests have their own topic prefix, because they
// rotate all keys.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Service } from '@weir/devstack'
import { pollUntil } from '@weir/kit'
import { needsOf } from '../../../src/api/route-needs.ts'
import { routesOfAuth } from '../../api/routes-of.ts'
import {
  asPlatform,
  makeAccount,
  platformKey,
  problem,
  secretsOf,
  send,
  startAuth,
  textOf,
  uniqueName,
} from '../../support.ts'
import type { Account, Json, Reply } from '../../support.ts'
import { steps } from './audit-steps.ts'

let auth: Service
let account: Account
const startedAt = new Date().toISOString()

beforeAll(async () => {
  auth = await startAuth()
  account = await makeAccount(auth)
})
afterAll(() => auth?.stop(), 60_000)

type Entry = {
  readonly by: { readonly kind: string; readonly requestId?: string }
  readonly target: Json
  readonly [member: string]: unknown
}

/** Reads, page by page, the entries that the API key may read, from the start of the tests on. */
async function entriesFor(bearer: string, limit = 1000): Promise<Entry[]> {
  const entries: Entry[] = []
  let after = `from=${startedAt}`
  for (;;) {
    const reply = await send(`${auth.url}/v2/audit?limit=${limit}&${after}`, { bearer })
    expect([reply.status, reply.text]).toEqual([200, expect.any(String)])
    entries.push(...(reply.json['entries'] as Entry[]))
    if (reply.json['next'] === null) return entries
    after = `after=${textOf(reply.json, 'next')}`
  }
}

async function entriesOf({ headers }: Reply): Promise<Entry[]> {
  const requestId = headers.get('svc-request-id') ?? 'none'
  return (await entriesFor(platformKey)).filter(({ by }) => by.requestId === requestId)
}

/** Waits for the entry of a refused request, which is written after the response. */
const entryOfRefused = (reply: Reply): Promise<Entry> =>
  pollUntil(async () => (await entriesOf(reply))[0], { deadlineMs: 60_000, what: 'the entry' })

const keyOf = ({ apiKey }: Account): string =>
  createHash('sha256').update(apiKey).digest('hex').slice(0, 12)

test('every route that changes something has its case', () => {
  const changing = routesOfAuth().filter(
    (route) => /^(?!GET )\w+ \/v2\//.test(route) && needsOf(route) !== 'anyone',
  )
  expect(steps.map(({ route }) => route.replace(' ', ' /v2')).toSorted()).toEqual(
    changing.toSorted(),
  )
})

describe.each(['v1', 'v2'])('of %s', (v) => {
  const names = {
    v,
    stream: `s-${v}`,
    contract: `c-${v}`,
    clientId: '',
    keyId: '',
    other: uniqueName('other'),
  }

  test.each(steps)('$route leaves exactly one entry that says who did what', async (step) => {
    const at = Object.assign(names, { auth, account })
    const reply = await step.send(at)

    if (reply.status >= 300) throw new Error(`${reply.status} ${reply.text}`)
    const { billingId } = account
    const { action, target } = step.entry(at)
    const isPlatforms = step.by === 'platform'
    const entries = await entriesOf(reply)
    if (step.mayBeUnderWay === true && entries.length === 0) return
    expect(entries).toHaveLength(1)
    expect(entries[0]).toMatchObject({
      by: isPlatforms
        ? { kind: 'platform' }
        : { kind: 'account', billingId, keyId: keyOf(account) },
      action,
      target: { ...(isPlatforms ? {} : { account: billingId }), ...target },
      outcome: 'done',
    })
  })
})

describe('a refused action', () => {
  test('has an entry with the reason, when the caller is known', async () => {
    await account.post('/v2/streams', { name: 'taken' })
    const reply = await account.post('/v2/streams/taken/outputs', { name: 'Not a name' })
    expect(reply).toMatchObject({ status: 422, json: problem(422, 'invalid') })
    expect(await entryOfRefused(reply)).toMatchObject({
      by: { kind: 'account', keyId: keyOf(account) },
      action: 'output.create',
      target: { account: account.billingId, stream: 'taken' },
      outcome: 'refused',
      code: 'invalid',
    })
  })

  test('that would change nothing has one, too, with what was asked for', async () => {
    const { json } = await account.post('/v2/api-keys', { name: 'looks on', role: 'viewer' })
    const viewer = textOf(json, 'apiKey')
    const path = '/v2/streams/taken/erasures/7/receipt'
    const reply = await send(`${auth.url}${path}`, { bearer: viewer })
    expect(await entryOfRefused(reply)).toMatchObject({
      by: { kind: 'account', keyId: textOf(json, 'keyId') },
      action: 'read.refused',
      target: {
        account: account.billingId,
        stream: 'taken',
        route: 'GET /v2/streams/:stream/erasures/:erasure/receipt',
      },
      outcome: 'refused',
    })
  })

  test('fills the log no faster than the bound, and what is asked for by no name is not in it', async () => {
    const flooding = await makeAccount(auth)
    const replies = await Promise.all(
      Array.from({ length: 100 }, () => flooding.delete('/v2/streams/Jane%20Doe%20%2B31')),
    )
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 404))
    const refusedOf = async () =>
      (await entriesFor(flooding.apiKey)).filter(({ outcome }) => outcome === 'refused')
    const told = await pollUntil(
      async () => {
        const refused = await refusedOf()
        return refused.length >= 30 && refused
      },
      { deadlineMs: 60_000, what: 'the refusals' },
    )
    expect(told).toHaveLength(30)
    expect(JSON.stringify(told)).not.toContain('Jane')
  })
})

test('accounts see what was done to them, by whom ever, and nothing of each other', async () => {
  const other = await makeAccount(auth)
  await asPlatform(auth, `/v2/accounts/${other.billingId}/keys`)
  await other.post('/v2/streams', { name: 'theirs' })
  const entries = await entriesFor(other.apiKey)
  expect(entries.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['account.create', 'api-key.create', 'stream.create']),
  )
  const isTheirs = ({ target }: Entry) => target['account'] === other.billingId
  expect(entries.every(isTheirs)).toBe(true)
  const all = (await entriesFor(platformKey)).filter(isTheirs)
  const plain = (entry: Entry): object => {
    const { seq: _seq, prev: _prev, id: _id, ...rest } = entry
    return rest
  }
  expect(all.map(plain)).toEqual(entries.map(plain))
})

test('what an account sees of the log tells nothing of how much others do', async () => {
  const [one, other] = [await makeAccount(auth), await makeAccount(auth)]
  await other.post('/v2/streams', { name: 'theirs' })
  await one.post('/v2/streams', { name: 'ours' })
  const page = await one.get(`/v2/audit?limit=1&from=${startedAt}`)
  const [entry] = page.json['entries'] as Entry[]
  expect(entry).not.toHaveProperty('seq')
  expect(entry).not.toHaveProperty('prev')
  for (const text of [textOf(page.json, 'next'), textOf(entry, 'id')])
    expect(text).toMatch(/^[\w-]{22}$/)
  const ids = (await entriesFor(one.apiKey)).map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  // A cursor of one account is invalid for another.
  const foreign = await other.get(`/v2/audit?after=${textOf(page.json, 'next')}`)
  expect(foreign).toMatchObject({ status: 422, json: problem(422, 'invalid') })
})

test('page by page there is the same as at once', async () => {
  expect(await entriesFor(account.apiKey, 3)).toEqual(await entriesFor(account.apiKey))
})

test('no entry holds a key or a secret', async () => {
  const made = await account.post('/v2/streams', { name: 'secrets' })
  const { clientSecret } = secretsOf(made)
  const text = JSON.stringify(await entriesFor(platformKey))
  for (const secret of [account.apiKey, platformKey, clientSecret, 'not in the log'])
    expect(text).not.toContain(secret)
})

test.each([
  ['from=yesterday', 'from'],
  ['from=2026-02-01&until=2026-01-01', 'from'],
  ['limit=0', 'limit'],
  ['limit=1001', 'limit'],
  ['after=-1', 'after'],
  ['after=1&after=1', 'after'],
])('%s is refused, and it is said why', async (query, member) => {
  const reply = await account.get(`/v2/audit?${query}`)
  expect(reply).toMatchObject({ status: 422, json: problem(422, 'invalid') })
  expect(reply.text).toContain(`${member} must`)
})

test('the chain is for the platform alone', async () => {
  const reply = await account.get('/v2/audit/chain')
  expect(reply).toMatchObject({ status: 401, json: problem(401, 'invalid_platform_key') })
})
