// A command for input streams refuses an output's name, and names its input stream, with any kind of credentials.
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
  'weir: orders-2 is an output of orders. This command needs an input stream\n' +
  '  Give its input stream, orders.\n'

test.each([
  ['send orders-2 --schema x', { ...credentials, ...key }, withInput],
  ['send orders-2 --schema x', key, withInput],
  ['simulate orders-2 --schema x --rate 1', { ...credentials, ...key }, withInput],
  [
    'send orders-2 --schema x',
    credentials,
    'weir: orders-2 is an output. This command needs an input stream\n' +
      '  Give the input stream of the output.\n',
  ],
] as const)('weir %s with %j names the input stream if it can', async (line, own, stderr) => {
  const env = { WEIR_AUTH_URL: auth.url, WEIR_BILLING_ID: 'acme', ...own }
  expect(await weir.run(line, { env, input: '{}' })).toMatchObject({ code: 1, stdout: '', stderr })
})

const withCommand = `${withInput}  For the output use: weir output … orders orders-2\n`

test.each([
  ['stream show orders-2', withCommand],
  ['stream update orders-2 --rate 7', withCommand],
  ['stream disable orders-2', withCommand],
  ['stream delete orders-2 --yes', withCommand],
  ['output list orders-2', withInput],
  ['output create orders-2 b --level 1', withInput],
  ['output show orders-2 b', withInput],
  ['output preview orders-2 --level 1', withInput],
  ['usage orders-2', withInput],
  ['subject erase orders-2 a --yes', withInput],
  ['subject withdraw orders-2 a --level 1 --yes', withInput],
  ['subject erase orders-2 --subject a --yes', withInput],
  ['subject show orders-2 --subject a', withInput],
  ['subject export orders-2 a -o a.jsonl', withInput],
  ['erasure list orders-2', withInput],
  ['person show a --stream orders-2', withInput],
] as const)('weir %s names the input stream', async (line, stderr) => {
  const env = {
    WEIR_AUTH_URL: auth.url,
    WEIR_OUTPUT_URL: auth.url,
    WEIR_BILLING_ID: 'acme',
    ...key,
  }
  expect(await weir.run(line, { env })).toMatchObject({ code: 1, stdout: '', stderr })
})

test('weir output delete says that an input stream is not an output', async () => {
  const env = { WEIR_AUTH_URL: auth.url, WEIR_BILLING_ID: 'acme', ...key }
  expect(await weir.run('output delete orders orders --yes', { env })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'weir: orders is an input stream, not an output\n',
  })
})
