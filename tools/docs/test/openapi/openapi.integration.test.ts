// auth and output behave as their OpenAPI documents say. schemathesis generates valid and invalid requests from the
// documents. It must find no fault of a service, no undocumented response or status, no acceptance of invalid input,
// and no refusal of valid input. The number of requests is limited, and they are the same each time.
import { afterAll, beforeAll, expect, test } from '@jest/globals'

import { asObject, signUp, scale, setting, startWorld, textIn } from '@weir/testkit'
import type { Account, World } from '@weir/testkit'
import { findingsOf } from './schemathesis.ts'
import type { Search } from './schemathesis.ts'

const MINUTES = 60_000

let world: World
let account: Account
let common: Pick<Search, 'bearer' | 'parameters' | 'about'>

beforeAll(async () => {
  world = await startWorld()
  account = await signUp(world.auth.url)
  await account.contract('clickstream')
  const { body } = await account.call('GET', '/v2/contracts/clickstream')
  const schema = asObject(body['schema'])
  const schemaId = String(schema['schema_registry_id'])
  const [subject = ''] = textIn(schema, 'schema_registry_ref').split('/')
  await account.input('clicks')
  await account.output('clicks', 'clicks-0', { consentLevels: [0] })
  common = {
    bearer: account.apiKey,
    parameters: {
      stream: 'clicks',
      output: 'clicks-0',
      contract: 'clickstream',
      schemaId,
      subject,
      version: 'latest',
      billingId: account.billingId,
    },
    about: [
      { paths: '/(accounts|keys|audit/chain)', bearer: setting('PLATFORM_KEY') },
      // Later requests need the objects that these would delete.
      { paths: '/streams/[^/]+$', method: 'DELETE', parameters: { stream: 'gone' } },
      { paths: '/outputs/[^/]+$', method: 'DELETE', parameters: { output: 'gone' } },
      { paths: '/archive$', parameters: { contract: 'gone' } },
      // These have constraints that JSON Schema can't express. For example, a contract must fit its schema, a name must
      // be one line, a period must not end before its start, and no two purposes may share a name, a title or a level.
      { paths: '/(contracts|purposes|usage|audit|api-keys|subject-access)$', mayRefuse: true },
    ],
  }
}, 2 * MINUTES)

afterAll(() => world?.stop(), MINUTES)

test(
  "auth's management is as its document says",
  async () => {
    const bounds = { paths: '^/v2/', phases: 'coverage,fuzzing', examplesMax: scale(2, 1) }
    expect(await findingsOf({ url: world.auth.url, ...common, ...bounds })).toBe('')
  },
  5 * MINUTES,
)

test(
  'the first version of the same is, too',
  async () => {
    const bounds = { paths: '^/v1/', phases: 'fuzzing', examplesMax: scale(2, 1) }
    expect(await findingsOf({ url: world.auth.url, ...common, ...bounds })).toBe('')
  },
  5 * MINUTES,
)

test(
  'tokens are given and refused as the document says',
  async () => {
    const paths = '^/(auth|refresh|oauth2|.well-known)'
    const bounds = { paths, phases: 'coverage,fuzzing', examplesMax: scale(3, 1) }
    expect(await findingsOf({ url: world.auth.url, ...bounds })).toBe('')
  },
  5 * MINUTES,
)

test(
  'schemas are shown as the document says',
  async () => {
    const bounds = { paths: '^/registry/', phases: 'coverage,fuzzing', examplesMax: scale(3, 1) }
    expect(await findingsOf({ url: world.auth.url, ...common, ...bounds })).toBe('')
  },
  5 * MINUTES,
)

test(
  "output's answers are as its document says",
  async () => {
    const bounds = { paths: '^/v2/', phases: 'coverage,fuzzing', examplesMax: scale(3, 1) }
    const { bearer, parameters } = common
    expect(await findingsOf({ url: world.output.url, bearer, parameters, ...bounds })).toBe('')
  },
  5 * MINUTES,
)

test('the page for people tells of the same operations', async () => {
  for (const [{ url }, path] of [
    [world.auth, '/docs/openapi/auth'],
    [world.output, '/docs'],
  ] as const) {
    const page = await fetch(url + path)
    const document: unknown = await (await fetch(`${url}/openapi.json`)).json()
    const ids = [...JSON.stringify(document).matchAll(/"operationId":"([^"]+)"/g)]
    const text = await page.text()
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
    expect(ids.length).toBeGreaterThan(3)
    for (const [, id = ''] of ids) expect(text).toContain(`<details id="${id}">`)
  }
})
