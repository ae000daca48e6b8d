// Every command refuses a WEIR_API_KEY that is left over from another account.
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { fakeAuth } from '../support/fake-auth.ts'
import type { FakeAuth } from '../support/fake-auth.ts'
import { writeJson } from '../support/temporary.ts'
import { createWeir } from '../support/weir.ts'

let auth: FakeAuth
let env: Record<string, string>

beforeAll(async () => {
  auth = await fakeAuth({ stream: 'orders-2', kind: 'derived' }, { billingId: 'umbra' })
  env = { WEIR_AUTH_URL: auth.url, WEIR_API_KEY: 'k' }
})
beforeEach(() => void auth.requests.splice(0))
afterAll(() => auth.close())

const stderr =
  'weir: WEIR_API_KEY is a key of the account umbra, but WEIR_BILLING_ID says acme\n' +
  '  Unset one of them, or set the key of the account that you want.\n'

test.each([
  'stream create clicks',
  'stream list',
  'output delete orders orders-2 --yes',
  'credentials rotate orders-2',
  'send orders --schema x',
])('weir %s is refused with a key of another account, before anything is done', async (line) => {
  const own = { ...env, WEIR_BILLING_ID: 'acme' }
  const ended = await createWeir({ isHere: true }).run(line, { env: own, input: '{}' })
  expect(ended).toMatchObject({ code: 1, stdout: '', stderr })
  expect(auth.requests).toEqual(['GET /v2/account'])
})

test('the account of the profile is named by its file', async () => {
  const weir = createWeir({ isHere: true })
  const acme = { authUrl: auth.url, apiKey: 'own' }
  writeJson(weir.profile, { current: 'acme', accounts: { acme } })
  expect(await weir.run('stream list', { env })).toMatchObject({
    code: 1,
    stderr:
      `weir: WEIR_API_KEY is a key of the account umbra, but ${weir.profile} says acme\n` +
      '  Unset WEIR_API_KEY, or set WEIR_BILLING_ID to umbra.\n',
  })
})

test('a key of the account itself, or without any account, asks at most once', async () => {
  const weir = createWeir({ isHere: true })
  const listed = (own: Record<string, string>) => weir.run('output list orders', { env: own })
  expect((await listed({ ...env, WEIR_BILLING_ID: 'umbra' })).stdout).toContain('orders-2')
  const ofAccount = (): number => auth.requests.filter((one) => one === 'GET /v2/account').length
  expect(ofAccount()).toBe(1)
  expect((await listed(env)).stdout).toContain('orders-2')
  expect(ofAccount()).toBe(1)
})

test('in the folder of a demo, a key decides the account, and only the addresses are those of the demo', async () => {
  const weir = createWeir({ isHere: true })
  const urls = { authUrl: auth.url, ingestUrl: auth.url, outputUrl: auth.url }
  writeJson(join(weir.folder, '.weir', 'demo.json'), {
    ...urls,
    billingId: 'demo',
    apiKey: 'd',
    streams: [],
  })
  const { code, stdout, stderr } = await weir.run('output list orders', {
    env: { WEIR_API_KEY: 'k' },
  })
  expect([code, stderr]).toEqual([
    0,
    `(using the addresses of ${join(weir.folder, '.weir', 'demo.json')})\n`,
  ])
  expect(stdout).toContain('orders-2')
})

test("without a key, it says that a stream's credentials are not enough", async () => {
  const own = { WEIR_BILLING_ID: 'acme', WEIR_CLIENT_ID: 'c', WEIR_CLIENT_SECRET: 's' }
  const { code, stderr } = await createWeir({ isHere: true }).run('contract show x', { env: own })
  expect(code).toBe(1)
  expect(stderr).toContain(
    "weir: no API key for the account acme\n  A stream's credentials are not enough for this.",
  )
})

test('weir doctor says so, too', async () => {
  const weir = createWeir({ isHere: true })
  const { code, stdout } = await weir.run('doctor', { env: { ...env, WEIR_BILLING_ID: 'acme' } })
  expect(code).toBe(1)
  expect(stdout).toMatch(/^problem {2}API key +WEIR_API_KEY is a key of the account umbra, but/m)
})
