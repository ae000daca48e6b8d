// After ten wrong keys or tokens per minute and address, the status is 429. Each test sends its own addresses
// in X-Forwarded-For, as a proxy does.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { makeAccount, platformKey, send, joinAuth, uniqueName } from '../support.ts'
import type { Account, Reply, SharedAuth } from '../support.ts'

let auth: SharedAuth
let account: Account

beforeAll(async () => {
  auth = await joinAuth()
  account = await makeAccount(auth)
})
afterAll(() => auth.stop())

type Asking = (nth: number, from: string) => Promise<Reply>

const get = (bearer: string, from: string): Promise<Reply> =>
  send(`${auth.url}/v2/account`, { bearer, headers: { 'x-forwarded-for': from } })
const makeAs = (bearer: string, from: string): Promise<Reply> =>
  send(`${auth.url}/v2/accounts`, {
    method: 'POST',
    bearer,
    json: { billingId: uniqueName('acc') },
    headers: { 'x-forwarded-for': from },
  })

const wrongly: [string, Asking, status: number, from: string][] = [
  ['API keys', (nth, from) => get(`wrong-${nth}`, from), 401, '198.51.100.1'],
  ['platform keys', (nth, from) => makeAs(`wrong-${nth}`, from), 401, '198.51.100.2'],
  [
    'refresh tokens',
    (nth, from) =>
      send(`${auth.url}/refresh`, {
        method: 'POST',
        json: { refreshToken: `wrong-${nth}` },
        headers: { 'x-forwarded-for': from },
      }),
    401,
    '198.51.100.3',
  ],
]

test.each(wrongly)(
  'wrong %s: ten a minute, then 429 with Retry-After',
  async (_what, ask, status, from) => {
    for (let nth = 0; nth < 10; nth += 1) expect((await ask(nth, from)).status).toBe(status)
    const refused = await ask(10, from)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.json).toMatchObject({ code: 'too_many_failures' })
    // other addresses are not limited, and the right key is accepted from this address, too
    expect((await ask(11, '203.0.113.77')).status).toBe(status)
    expect((await get(account.apiKey, from)).status).toBe(200)
    expect((await makeAs(platformKey, from)).status).toBe(201)
  },
)

test('one wrong key from many addresses is counted as one', async () => {
  const from = (nth: number): string => `192.0.2.${nth}`
  for (let nth = 0; nth < 10; nth += 1)
    expect((await get('the-same-wrong-key', from(nth))).status).toBe(401)
  expect((await get('the-same-wrong-key', from(10))).status).toBe(429)
  expect((await get('another-wrong-key', from(10))).status).toBe(401)
})

test('no key at all is no guess', async () => {
  const from = { 'x-forwarded-for': '198.51.100.9' }
  for (let nth = 0; nth < 12; nth += 1)
    expect((await send(`${auth.url}/v2/account`, { headers: from })).status).toBe(401)
})
