// If a key's role may not create credentials of an output, its user needs credentials that an owner creates.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fakeAuth } from '../support/fake-auth.ts'
import type { FakeAuth } from '../support/fake-auth.ts'
import { createWeir } from '../support/weir.ts'

const weir = createWeir({ isHere: true })
let auth: FakeAuth

beforeAll(async () => {
  auth = await fakeAuth({ stream: 'orders-2', kind: 'derived' }, { role: 'developer' })
})
afterAll(() => auth.close())

const advice =
  '  Set WEIR_BILLING_ID, WEIR_CLIENT_ID and WEIR_CLIENT_SECRET to credentials of orders-2.\n' +
  '  A key with the role owner creates them: weir credentials rotate orders-2 --scope listen\n'

test.each([
  [
    'listen orders-2',
    'weir: the role of this API key may not create credentials of orders-2 (403)\n',
  ],
  [
    'export orders-2 a.csv',
    'weir: the role of this API key may not create credentials of orders-2 (403)\n',
  ],
  ['token orders-2', `weir: no credentials for orders-2 are saved in ${weir.profile}\n`],
  ['kafka orders-2', `weir: no credentials for orders-2 are saved in ${weir.profile}\n`],
])('weir %s says which variables to set, and who creates their values', async (line, sentence) => {
  const env = { WEIR_AUTH_URL: auth.url, WEIR_BILLING_ID: 'acme', WEIR_API_KEY: 'k' }
  const stderr = `${sentence}${advice}`
  expect(await weir.run(line, { env })).toMatchObject({ code: 1, stdout: '', stderr })
})
