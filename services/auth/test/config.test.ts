import { expect, test } from '@jest/globals'
import { readConfig } from '../src/config.ts'

const needed = {
  KAFKA_BROKERS: 'a:9092,b:9092',
  SCHEMA_REGISTRY_URL: 'http://registry/apis/ccompat/v7/',
  KEK_FILE: '/kek',
  PLATFORM_KEY: 'the platform key that these tests have',
}

test('what is needed is enough, and the rest has the defaults that are documented', () => {
  expect(readConfig(needed)).toEqual({
    ...needed,
    KAFKA_ACLS: 'auto',
    KAFKA_BROKERS: ['a:9092', 'b:9092'],
    SCHEMA_REGISTRY_URL: 'http://registry/apis/ccompat/v7',
    AUTH_HOST: '127.0.0.1',
    AUTH_PORT: 8081,
    AUTH_ADMIN_PORT: 9081,
    AUTH_PUBLIC_URL: 'http://127.0.0.1:8081',
    PRODUCE_TIMEOUT_MS: 5_000,
    LIMITS_DEFAULT_EVENT_RATE: '100000',
    LIMITS_DEFAULT_EVENT_COUNT: '1000000000',
    ERASURES_MAX: 2_000,
    ACCOUNT_KEY_BYTES_MAX: 268_435_456,
    KEY_BYTES_MAX: 402_653_184,
    CONNECTIONS_MAX: 10_000,
    KAFKA_PREFIX: '',
    KAFKA_REQUIRE_DURABLE: false,
    CONSOLE_ORIGINS: ['http://127.0.0.1:8083', 'http://localhost:8083'],
    LOG_LEVEL: 'info',
    TLS_RELOAD_MS: 10_000,
    KAFKA_TLS: false,
    KEK_SINGLE: false,
    VAULT_TRANSIT_MOUNT: 'transit',
    VAULT_KUBERNETES_MOUNT: 'kubernetes',
    VAULT_KUBERNETES_TOKEN_FILE: '/var/run/secrets/kubernetes.io/serviceaccount/token',
  })
})

test.each([
  ['PLATFORM_KEY', { PLATFORM_KEY: '' }],
  ['PLATFORM_KEY', { PLATFORM_KEY: 'a key of thirty-one characters!' }],
  ['TLS_KEY_FILE', { TLS_CERT_FILE: '/cert' }],
  ['LIMITS_DEFAULT_EVENT_RATE', { LIMITS_DEFAULT_EVENT_RATE: '0' }],
  ['TOPIC_REPLICATION', { TOPIC_REPLICATION: '0' }],
  ['AUTH_PORT', { AUTH_PORT: '70000' }],
])('a wrong %s stops the start and is named', (key, wrong) => {
  expect(() => readConfig({ ...needed, ...wrong })).toThrow(key)
})

test('a platform key file stands for the key', () => {
  const config = readConfig({ ...needed, PLATFORM_KEY: '', PLATFORM_KEY_FILE: '/key' })
  expect(config.PLATFORM_KEY_FILE).toBe('/key')
})

test('the address may be below another, and have a slash at its end', () => {
  const config = readConfig({ ...needed, AUTH_PUBLIC_URL: 'https://auth.example.org/weir/' })
  expect(config.AUTH_PUBLIC_URL).toBe('https://auth.example.org/weir')
})
