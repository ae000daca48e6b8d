// Nothing can be sent to an output, with whatever credentials: the command says where to send instead.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fakeAuth } from '../../support/fake-auth.ts'
import type { FakeAuth } from '../../support/fake-auth.ts'
import { createWeir } from '../../support/weir.ts'

const weir = createWeir({ isHere: true })
let auth: FakeAuth

beforeAll(async () => {
  auth = await fakeAuth({ stream: 'orders-2', kind: 'derived' })
})
afterAll(() => auth.close())

const credentials = { WEIR_CLIENT_ID: 'c2', WEIR_CLIENT_SECRET: 's2' }
const key = { WEIR_API_KEY: 'k' }
const withInput =
  'weir: orders-2 is an output of orders: its events are derived, and none can be sent to it\n' +
  '  Send to its input stream, orders.\n'

test.each([
  ['send orders-2 --schema x', { ...credentials, ...key }, withInput],
  ['send orders-2 --schema x', key, withInput],
  ['simulate orders-2 --schema x --rate 1', { ...credentials, ...key }, withInput],
  [
    'send orders-2 --schema x',
    credentials,
    'weir: orders-2 is an output: its events are derived, and none can be sent to it\n' +
      '  Send to its input stream.\n',
  ],
] as const)('weir %s with %j names the input stream if it can', async (line, own, stderr) => {
  const env = { WEIR_AUTH_URL: auth.url, WEIR_BILLING_ID: 'acme', ...own }
  expect(await weir.run(line, { env, input: '{}' })).toMatchObject({ code: 1, stdout: '', stderr })
})
