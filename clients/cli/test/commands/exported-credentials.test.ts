// Credentials in the environment apply to every command of a shell, also to a command that names another stream.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { closedPort } from '../support/closed-port.ts'
import { fakeAuth } from '../support/fake-auth.ts'
import type { FakeAuth } from '../support/fake-auth.ts'
import { writeJson } from '../support/temporary.ts'
import { createWeir } from '../support/weir.ts'

const weir = createWeir({ isHere: true })
let auth: FakeAuth
let env: Record<string, string>

beforeAll(async () => {
  auth = await fakeAuth({ stream: 'orders-2', kind: 'input' })
  const nowhere = `http://127.0.0.1:${await closedPort()}`
  env = {
    WEIR_AUTH_URL: auth.url,
    WEIR_INGEST_URL: nowhere,
    WEIR_OUTPUT_URL: nowhere,
    WEIR_BILLING_ID: 'acme',
    WEIR_CLIENT_ID: 'c2',
    WEIR_CLIENT_SECRET: 's2',
  }
})
beforeEach(() => void auth.requests.splice(0))
afterAll(() => auth.close())

test.each([
  'listen orders-1',
  'token orders-1',
  'kafka orders-1',
  'export orders-1 orders.jsonl',
  'send orders-1 --schema x',
  'simulate orders-1 --schema x --rate 1',
])('weir %s is refused with credentials of another stream, and says how to go on', async (line) => {
  expect(await weir.run(line, { env, input: '{}' })).toMatchObject({
    code: 1,
    stdout: '',
    stderr:
      'weir: WEIR_CLIENT_ID and WEIR_CLIENT_SECRET are the credentials of orders-2, not of orders-1\n' +
      '  Set them to credentials of orders-1, or remove them: unset WEIR_CLIENT_ID WEIR_CLIENT_SECRET\n',
  })
  expect(auth.requests).toEqual(['POST /auth'])
})

test('weir token and weir kafka take them for their own stream', async () => {
  for (const line of ['token orders-2', 'kafka orders-2'])
    expect(await weir.run(line, { env })).toMatchObject({ code: 0, stderr: '' })
})

test('weir doctor says of which stream they are, and which saved ones are not used', async () => {
  const credentialsLine = async (): Promise<string | undefined> =>
    (await weir.run('doctor', { env })).stdout.match(/^.*  credentials .*(\n  .*)?/m)?.[0]
  expect(await credentialsLine()).toMatch(
    /^ok .* WEIR_CLIENT_ID and WEIR_CLIENT_SECRET are those of orders-2$/m,
  )
  const saved = { clientId: 'c1', clientSecret: 's1' }
  const accounts = { acme: { authUrl: auth.url, streams: { 'orders-1': saved } } }
  writeJson(weir.profile, { current: 'acme', accounts })
  expect(await credentialsLine()).toMatch(
    /^warning .* those of orders-2: while they are set, the saved ones of orders-1 aren't used\n +To use the saved ones: unset/,
  )
})
