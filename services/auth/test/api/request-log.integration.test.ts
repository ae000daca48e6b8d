// Each response has a request id. The log contains management requests with this id, but no names, keys or tokens.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Service } from '@weir/devstack'
import { pollUntil } from '@weir/kit'
import { makeAccount, secretsOf, send, startAuth, textOf, uniqueName } from '../support.ts'
import type { Account, Json } from '../support.ts'

let auth: Service
let account: Account

beforeAll(async () => {
  auth = await startAuth()
  account = await makeAccount(auth)
})
afterAll(() => auth.stop())

const lineOf = (requestId: string): Promise<string> =>
  pollUntil(() => auth.lines().find((line) => line.includes(requestId)), { deadlineMs: 60_000 })

test('a call of management is in the log under the id that its client got', async () => {
  const name = uniqueName('secretly')
  const reply = await account.get(`/v2/streams/${name}?what=${name}`)
  const requestId = reply.headers.get('svc-request-id') ?? ''
  expect(requestId).toMatch(/^[0-9a-f]{32}$/)
  const line = await lineOf(requestId)
  const told: Json = JSON.parse(line)
  expect(told).toMatchObject({
    level: 'info',
    requestId,
    caller: account.billingId,
    method: 'GET',
    route: '/v2/streams/:stream',
    status: 404,
    code: 'not_found',
  })
  expect(line).not.toContain(name)
  expect(line).not.toContain(account.apiKey)
})

test('the id is that of the client’s trace, if it has one', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` }
  const reply = await send(`${auth.url}/v2/account`, { bearer: account.apiKey, headers })
  expect(reply.headers.get('svc-request-id')).toBe(traceId)
  expect(await lineOf(traceId)).toContain('"route":"/v2/account"')
})

test('who is nobody has an id too, and no line names what was sent as a key', async () => {
  const bearer = uniqueName('not-a-key')
  const reply = await send(`${auth.url}/v2/account`, { bearer })
  expect(reply.status).toBe(401)
  const line = await lineOf(reply.headers.get('svc-request-id') ?? 'none')
  expect(line).not.toContain('caller')
  expect(line).not.toContain(bearer)
})

test('no line holds a secret, a token or an API key', async () => {
  const secrets = secretsOf(await account.post('/v2/streams', { name: uniqueName('s') }))
  const json = { billingId: account.billingId, ...secrets }
  const tokens = await send(`${auth.url}/auth`, { method: 'POST', json })
  await lineOf((await account.get('/v2/account')).headers.get('svc-request-id') ?? 'none')
  const lines = auth.lines().join('\n')
  for (const secret of [account.apiKey, secrets.clientSecret, textOf(tokens.json, 'idToken')])
    expect(lines).not.toContain(secret)
  expect(lines).not.toMatch(/clientSecret|eyJ/)
})

test('tokens are asked for too often to be told one by one', async () => {
  const reply = await send(`${auth.url}/auth`, { method: 'POST', json: {} })
  const requestId = reply.headers.get('svc-request-id') ?? ''
  expect(requestId).toMatch(/^[0-9a-f]{32}$/)
  await account.get('/v2/account')
  expect(auth.lines().filter((line) => line.includes(requestId))).toEqual([])
})
