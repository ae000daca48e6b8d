import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import {
  asPlatform,
  makeAccount,
  platformKey,
  problem,
  problemsOf,
  send,
  joinAuth,
  textOf,
  uniqueName,
} from '../support.ts'
import type { Account, SharedAuth } from '../support.ts'

let auth: SharedAuth
let account: Account

beforeAll(async () => {
  auth = await joinAuth()
  account = await makeAccount(auth)
})
afterAll(() => auth.stop())

describe('making an account', () => {
  test('answers 201 with its billing id and an API key that works', async () => {
    const billingId = uniqueName('acc')
    const made = await asPlatform(auth, '/v2/accounts', { billingId })
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({ billingId, apiKey: expect.stringMatching(/^weir_.{43}$/) })
    expect(made.headers.get('cache-control')).toBe('no-store')
    const shown = await send(`${auth.url}/v2/account`, { bearer: textOf(made.json, 'apiKey') })
    expect(shown.json).toMatchObject({ billingId })
  })

  test('is refused with 409 for a billing id that is taken', async () => {
    const reply = await asPlatform(auth, '/v1/accounts', { billingId: account.billingId })
    expect(reply.status).toBe(409)
    expect(reply.json).toEqual(problem(409, 'name_taken'))
  })

  test.each(['weir', 'Weir', 'a--b', '-a', 'a-', 'a_b', '', 'a'.repeat(64), 7, null])(
    'is refused with 422 for the billing id %p',
    async (billingId) => {
      const reply = await asPlatform(auth, '/v2/accounts', { billingId })
      expect(reply.status).toBe(422)
      expect(problemsOf(reply)).toEqual([expect.stringMatching(/^billingId must /)])
    },
  )

  test('takes the longest billing id', async () => {
    const billingId = uniqueName('a').padEnd(63, 'x')
    expect((await asPlatform(auth, '/v2/accounts', { billingId })).status).toBe(201)
  })

  test('takes the platform key: an API key, a wrong one or none get 401', async () => {
    const json = { billingId: uniqueName('acc') }
    for (const bearer of [account.apiKey, 'wrong', undefined]) {
      const reply = await send(`${auth.url}/v2/accounts`, {
        method: 'POST',
        json,
        ...(bearer === undefined ? {} : { bearer }),
      })
      expect(reply.status).toBe(401)
      expect(reply.json).toEqual(problem(401, 'invalid_platform_key'))
      expect(reply.json['detail']).toMatch(
        bearer === undefined ? /^Send the platform key/ : /is not the platform key$/,
      )
      expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer/)
    }
  })
})

describe('quotas', () => {
  const quotasOf = (billingId: string): string => `/v2/platform/accounts/${billingId}/quotas`
  const asked = (billingId: string, method: 'GET' | 'PUT', more: object = {}) =>
    send(`${auth.url}${quotasOf(billingId)}`, { method, bearer: platformKey, ...more })

  test('are the platform’s to set, for one account, and that account’s to see', async () => {
    const one = await makeAccount(auth)
    const other = await makeAccount(auth)
    const set = await asked(one.billingId, 'PUT', {
      json: { streams: 1, requestsPerMinute: 1_000 },
    })
    expect(set.status).toBe(200)
    expect(set.json).toMatchObject({
      billingId: one.billingId,
      quotas: { streams: { used: 0, max: 1 }, outputs: { used: 0, max: 200 } },
    })
    expect((await one.post('/v2/streams', { name: 'first' })).status).toBe(201)
    const refused = await one.post('/v2/streams', { name: 'second' })
    expect(refused.status).toBe(429)
    expect(refused.json).toEqual(problem(429, 'quota_exceeded'))
    expect(refused.json['detail']).toMatch(/^The account has 1 and may have 1 \(quota streams\)/)
    for (const name of ['first', 'second'])
      expect((await other.post('/v2/streams', { name })).status).toBe(201)
    expect((await one.get('/v2/account')).json['quotas']).toMatchObject({
      streams: { used: 1, max: 1 },
      requestsPerMinute: { max: 1_000 },
    })
    expect((await asked(one.billingId, 'GET')).json).toMatchObject({
      quotas: { streams: { used: 1, max: 1 } },
    })
  })

  test('bound the requests in a minute, and nobody else’s', async () => {
    const one = await makeAccount(auth)
    await asked(one.billingId, 'PUT', { json: { requestsPerMinute: 0 } })
    const refused = await one.get('/v2/streams')
    expect(refused.json).toEqual(problem(429, 'quota_exceeded'))
    expect(refused.headers.get('retry-after')).toBe('10')
    expect((await account.get('/v2/streams')).status).toBe(200)
  })

  test.each([
    [{ streams: -1 }, /^streams must be a whole number/],
    [{ streams: 1.5 }, /^streams must be a whole number/],
    [{ lookUps: '3' }, /^lookUps must be a whole number/],
    [{ unknown: 1 }, /unknown/],
  ])('%j is refused with 422', async (json, problems) => {
    const reply = await asked(account.billingId, 'PUT', { json })
    expect(reply.status).toBe(422)
    expect(problemsOf(reply)).toEqual([expect.stringMatching(problems)])
  })

  test('of an account that is not there are not found, and no API key sets any', async () => {
    expect((await asked(uniqueName('no'), 'GET')).status).toBe(404)
    expect((await asked(uniqueName('no'), 'PUT', { json: {} })).status).toBe(404)
    const bearer = account.apiKey
    const own = await asked(account.billingId, 'PUT', { json: { streams: 1_000 }, bearer })
    expect(own.json).toEqual(problem(401, 'invalid_platform_key'))
  })
})

describe('one more API key', () => {
  test('works beside the first', async () => {
    const made = await asPlatform(auth, `/v2/accounts/${account.billingId}/keys`)
    expect(made.status).toBe(201)
    expect(made.json).toEqual({
      apiKey: expect.any(String),
      billingId: account.billingId,
      keyId: expect.any(String),
      name: expect.any(String),
      role: 'owner',
      createdAt: expect.any(String),
    })
    for (const bearer of [account.apiKey, textOf(made.json, 'apiKey')])
      expect((await send(`${auth.url}/v2/account`, { bearer })).status).toBe(200)
  })

  test('is refused with 404 for an account that is not there, and with 401 without the platform key', async () => {
    const reply = await asPlatform(auth, `/v2/accounts/${uniqueName('no')}/keys`)
    expect(reply.status).toBe(404)
    expect(reply.json).toEqual(problem(404, 'not_found'))
    expect((await account.post(`/v2/accounts/${account.billingId}/keys`)).status).toBe(401)
  })
})

describe('showing the account', () => {
  test('tells the billing id among other data, and no key', async () => {
    await account.post('/v2/streams', { name: 'counted' })
    for (const version of ['v1', 'v2']) {
      const reply = await account.get(`/${version}/account`)
      expect(reply.status).toBe(200)
      expect(reply.json).toEqual({
        billingId: account.billingId,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        streams: 1,
        outputs: 0,
        contracts: 0,
        erased: 0,
        erasedMax: 2_000,
        quotas: expect.objectContaining({
          streams: { used: 1, max: 100 },
          partitions: { used: 3, max: 2_000 },
          requestsPerMinute: { max: 6_000 },
        }),
        key: {
          keyId: expect.stringMatching(/^[0-9a-f]{12}$/),
          name: 'first key',
          role: 'owner',
          createdAt: expect.any(String),
        },
      })
    }
  })

  test('is refused with 401 without an API key, and with one that is unknown', async () => {
    for (const bearer of [undefined, 'weir_unknown', '']) {
      const reply = await send(`${auth.url}/v2/account`, bearer === undefined ? {} : { bearer })
      expect(reply.status).toBe(401)
      expect(reply.json).toEqual(problem(401, 'invalid_api_key'))
      expect(reply.json['detail']).toMatch(
        bearer ? /^No account has/ : /^Send the account's API key/,
      )
    }
  })
})

describe('deleting an account', () => {
  const deletion = (billingId: string, bearer: string) =>
    send(`${auth.url}/v2/accounts/${billingId}`, { method: 'DELETE', bearer })

  test('deletes its streams, contracts and keys, and its name is a new account’s afterwards', async () => {
    const doomed = await makeAccount(auth)
    const { billingId } = doomed
    await doomed.post('/v2/streams', { name: 'clicks' })
    const output = { name: 'clicks-0', consentLevels: [0], consentLevelType: 'CUMULATIVE' }
    expect((await doomed.post('/v2/streams/clicks/outputs', output)).status).toBe(201)
    expect((await doomed.post('/v2/contracts', await contractOf(billingId))).status).toBe(201)

    const deleted = await deletion(billingId, platformKey)
    expect([deleted.status, deleted.json]).toMatchObject([
      200,
      { deleted: [{ ref: { name: 'clicks-0' } }, { ref: { name: 'clicks' } }] },
    ])
    expect((await doomed.get('/v2/account')).status).toBe(401)
    expect((await deletion(billingId, platformKey)).status).toBe(404)

    const again = await asPlatform(auth, '/v2/accounts', { billingId })
    expect(again.json).toMatchObject({ streams: 0, outputs: 0, contracts: 0 })
    const bearer = textOf(again.json, 'apiKey')
    const create = () =>
      send(`${auth.url}/v2/streams`, { method: 'POST', bearer, json: { name: 'clicks' } })
    await pollUntil(async () => (await create()).status === 201, { deadlineMs: 60_000 })
    expect((await deletion(billingId, platformKey)).status).toBe(200)
  })

  test('takes the platform key alone', async () => {
    for (const bearer of [account.apiKey, 'wrong'])
      expect((await deletion(account.billingId, bearer)).status).toBe(401)
    expect((await account.get('/v2/account')).status).toBe(200)
  })
})

async function contractOf(billingId: string): Promise<unknown> {
  const file = join(import.meta.dirname, '../../../../examples/contracts/clickstream.json')
  const text = await readFile(file, 'utf8')
  return JSON.parse(text.replace('catalog-clickstream/', `${billingId}-clickstream/`))
}
