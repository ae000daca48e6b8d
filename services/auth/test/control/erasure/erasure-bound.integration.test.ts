// An account erases invented values over the API: its limit, and other accounts, which are not affected.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Service } from '@weir/devstack'
import { pollUntil } from '@weir/kit'
import { createTopicReader } from '@weir/testkit'
import { makeAccount, problem, startAuth, startAuthEnv, uniqueName } from '../../support.ts'

const erasuresMax = 150
const reader = createTopicReader(startAuthEnv)
let service: Service

beforeAll(async () => {
  service = await startAuth({ ERASURES_MAX: String(erasuresMax) })
})
afterAll(async () => {
  await service.stop()
  await reader.close()
})

const madeUp = (what: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${what}-${index}`)

async function lastKeyOf(billingId: string): Promise<bigint | undefined> {
  const records = await reader.read('weir.keys')
  return records.findLast(({ key }) => key?.toString().startsWith(`${billingId}/`))?.offset
}

test('made-up values stop at ERASURES_MAX with 429, write nothing any more, and trouble no other account', async () => {
  const [account, other] = [await makeAccount(service), await makeAccount(service)]
  const name = uniqueName('s')
  await Promise.all([account, other].map((each) => each.post('/v2/streams', { name })))
  const path = `/v2/streams/${name}/erasures`
  const erase = (values: readonly string[]) =>
    account.post(path, { keyFieldValues: values, evenIfNoneFound: true })
  const counted = async () => Number((await account.get('/v2/account')).json['erased'])
  // Under load a request may get 503 although its erasure was accepted.
  for (let used = 0; used < erasuresMax; used = await counted())
    expect([201, 503]).toContain(
      (await erase(madeUp('a', Math.min(50, erasuresMax - used)))).status,
    )

  const isCutOut = async () => !(await account.get(path)).text.includes('"progress"')
  await pollUntil(isCutOut, { deadlineMs: 60_000, what: 'the ends of the erasures' })
  const before = await lastKeyOf(account.billingId)
  expect(before).toBeDefined()
  for (let times = 0; times < 10; times += 1) {
    const refused = await erase(madeUp(`d${times}`, 100))
    expect(refused.json).toEqual(problem(429, 'erasures_exceeded'))
    expect(refused.text).toContain('may have 150 (ERASURES_MAX)')
    expect(refused.text).toContain('raise ERASURES_MAX')
  }
  expect(await lastKeyOf(account.billingId)).toBe(before)

  expect((await account.get('/v2/account')).json).toMatchObject({
    erased: erasuresMax,
    erasedMax: erasuresMax,
  })
  // The metric covers all accounts with this topic prefix.
  const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text()
  const [, share] = /^svc_auth_erasures_used_share\S* (\S+)$/m.exec(metrics) ?? []
  expect(Number(share)).toBeGreaterThanOrEqual(1)
  expect(service.lines().join('\n')).toContain('an account is close to ERASURES_MAX')
  expect((await other.post(path, { keyFieldValue: 'bob', evenIfNoneFound: true })).status).toBe(201)
})
