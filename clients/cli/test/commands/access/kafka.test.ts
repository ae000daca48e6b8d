// The settings for a Kafka client. tools/docs/test/walk/analysts/walk.ts tests that clients can read with them.
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { fakeAuth } from '../../support/fake-auth.ts'
import { temporaryFolder, writeJson } from '../../support/temporary.ts'
import { createWeir } from '../../support/weir.ts'

const weir = createWeir()
const env = { WEIR_BILLING_ID: 'acme', WEIR_CLIENT_ID: 'c0', WEIR_CLIENT_SECRET: 's0' }
const settingsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )

test("librdkafka gets a token by itself, with the stream's credentials", async () => {
  expect(settingsOf(await weir.ok('kafka clicks-1', { env }))).toEqual({
    'bootstrap.servers': '127.0.0.1:9094',
    'security.protocol': 'SASL_PLAINTEXT',
    'sasl.mechanism': 'OAUTHBEARER',
    'sasl.oauthbearer.method': 'oidc',
    'sasl.oauthbearer.token.endpoint.url': 'http://127.0.0.1:8081/oauth2/token',
    'sasl.oauthbearer.client.id': 'c0',
    'sasl.oauthbearer.client.secret': 's0',
    'group.id': 'c0',
    'auto.offset.reset': 'earliest',
    'isolation.level': 'read_committed',
    '# topic': 'acme.clicks-1',
    // In comments, because librdkafka refuses settings that it does not know.
    '# schema.registry.url': 'http://127.0.0.1:8081/registry',
    '# basic.auth.credentials.source': 'USER_INFO',
    '# basic.auth.user.info': 'c0:s0',
  })
})

test('as JSON, settings stand apart from what only other clients know', async () => {
  const json = async (more = ''): Promise<unknown> =>
    JSON.parse(await weir.ok(`kafka clicks-1 -o json${more}`, { env }))
  const registry = {
    'schema.registry.url': 'http://127.0.0.1:8081/registry',
    'basic.auth.credentials.source': 'USER_INFO',
    'basic.auth.user.info': 'c0:s0',
  }
  expect(await json()).toEqual({
    topic: 'acme.clicks-1',
    settings: expect.not.objectContaining({ 'schema.registry.url': expect.anything() }),
    registry,
  })
  expect(await json(' --client java')).toEqual({
    topic: 'acme.clicks-1',
    settings: expect.objectContaining(registry),
  })
})

test('without an account it says what to set for the topic', async () => {
  const { WEIR_BILLING_ID, ...own } = env
  const { code, stdout, stderr } = await weir.run('kafka clicks-1', { env: own })
  expect([code, stderr]).toEqual([0, expect.stringContaining('set WEIR_BILLING_ID for the topic')])
  expect(stdout).not.toContain(`topic=${WEIR_BILLING_ID}`)
})

test('Java gets the same in its own way', async () => {
  const settings = settingsOf(await weir.ok('kafka clicks-1 --client java --tls', { env }))
  expect(settings).toMatchObject({
    'security.protocol': 'SASL_SSL',
    'sasl.oauthbearer.token.endpoint.url': 'http://127.0.0.1:8081/oauth2/token',
    'group.id': 'c0',
    'auto.offset.reset': 'earliest',
    'schema.registry.url': 'http://127.0.0.1:8081/registry',
    'basic.auth.credentials.source': 'USER_INFO',
    'basic.auth.user.info': 'c0:s0',
  })
  expect(settings['sasl.jaas.config']).toContain('clientId="c0" clientSecret="s0";')
})

test('a worker of Kafka Connect gets them for itself and for its consumers, without a group', async () => {
  const settings = settingsOf(await weir.ok('kafka clicks-1 --client connect', { env }))
  expect(settings['sasl.mechanism']).toBe('OAUTHBEARER')
  expect(settings['consumer.sasl.jaas.config']).toBe(settings['sasl.jaas.config'])
  expect(settings['consumer.isolation.level']).toBe('read_committed')
  expect(settings['value.converter.schema.registry.url']).toBe('http://127.0.0.1:8081/registry')
  expect(settings['value.converter.basic.auth.user.info']).toBe('c0:s0')
  expect(Object.keys(settings).filter((name) => name.includes('group.id'))).toEqual([])
})

test('a prefix stands before the group, from the environment or the demo', async () => {
  const cwd = temporaryFolder()
  const stream = { name: 'demo-1', clientId: 'c1', clientSecret: 's1' }
  const demo = { billingId: 'demo', kafkaPrefix: 'a.', streams: [stream] }
  writeJson(join(cwd, '.weir', 'demo.json'), demo)
  const consumerGroupOf = async (more: Record<string, string> = {}): Promise<unknown> =>
    settingsOf(await weir.ok('kafka demo-1', { cwd, env: more }))['group.id']
  expect(await consumerGroupOf()).toBe('a.c1')
  expect(await consumerGroupOf({ WEIR_KAFKA_PREFIX: 'b.' })).toBe('b.c1')
})

test('where Kafka is comes from the option, the environment, or the demo', async () => {
  const cwd = temporaryFolder()
  const stream = { name: 'demo-1', clientId: 'c1', clientSecret: 's1' }
  writeJson(join(cwd, '.weir', 'demo.json'), {
    billingId: 'demo',
    analystBrokers: '127.0.0.1:21094',
    streams: [stream],
  })
  const brokersOf = async (line: string, more: Record<string, string> = {}): Promise<unknown> =>
    settingsOf(await weir.ok(line, { cwd, env: more }))['bootstrap.servers']
  expect(await brokersOf('kafka demo-1')).toBe('127.0.0.1:21094')
  expect(await brokersOf('kafka demo-1', { WEIR_ANALYST_BROKERS: 'a:1,b:1' })).toBe('a:1,b:1')
  expect(await brokersOf('kafka demo-1 --brokers c:1')).toBe('c:1')
  // The owner of a folder must not decide where another person's credentials are sent.
  writeJson(join(cwd, '.weir', 'demo.json'), {
    billingId: 'demo',
    analystBrokers: 'elsewhere.example:9094',
    streams: [stream],
  })
  expect(await brokersOf('kafka demo-1')).toBe('elsewhere.example:9094')
  const own = { WEIR_CLIENT_ID: 'c2', WEIR_CLIENT_SECRET: 's2' }
  expect(await brokersOf('kafka demo-1', own)).toBe('127.0.0.1:9094')
})

test('a wrong client is told which one Python, kcat and Go use', async () => {
  const { code, stderr } = await weir.run('kafka clicks-1 --client python', { env })
  expect(code).toBe(2)
  expect(stderr).toContain('librdkafka (for kcat, Python, Go, .NET)')
})

test('of an output whose readers decrypt it says that fields are encrypted, and where to read how to decrypt them', async () => {
  const auth = await fakeAuth({ stream: 'lake', kind: 'derived', decryptAt: 'reader' })
  try {
    const { code, stderr } = await weir.run('kafka lake', {
      env: { ...env, WEIR_AUTH_URL: auth.url },
    })
    expect([code, stderr]).toEqual([
      0,
      `Its personal fields are encrypted. How to decrypt them: ${auth.url}/docs/keys#keys-for-readers\n`,
    ])
  } finally {
    auth.close()
  }
})

test('of an input stream it prints no settings, because they could not be used to read', async () => {
  const auth = await fakeAuth({ stream: 'orders', kind: 'input' })
  try {
    const own = { ...env, WEIR_AUTH_URL: auth.url, WEIR_API_KEY: 'k' }
    const { code, stdout, stderr } = await weir.run('kafka orders', { env: own })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /^weir: orders is an input stream, and these credentials may not read it\n  Use an output\. .*\n  weir credentials rotate orders --scope listen\n/,
    )
  } finally {
    auth.close()
  }
})

test("a topic's name is answered with the name of its stream", async () => {
  const auth = await fakeAuth({ stream: 'orders-2', kind: 'derived' })
  try {
    const own = { WEIR_AUTH_URL: auth.url, WEIR_BILLING_ID: 'acme', WEIR_API_KEY: 'k' }
    const { code, stderr } = await weir.run('kafka acme.orders-2', { env: own })
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('there is no stream or output acme.orders-2; did you mean orders-2?'),
    ])
  } finally {
    auth.close()
  }
})

test('a stream of the demo is told to somebody who is logged in elsewhere', async () => {
  const cwd = temporaryFolder()
  const streams = [{ name: 'demo-1', clientId: 'c', clientSecret: 's' }]
  writeJson(join(cwd, '.weir/demo.json'), { billingId: 'demo', streams })
  const elsewhere = { ...env, WEIR_CLIENT_ID: '', WEIR_CLIENT_SECRET: '' }
  const { code, stderr } = await weir.run('kafka demo-1', { env: elsewhere, cwd })
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('  The demo has a stream demo-1: add --demo to use it.\n'),
  ])
})
