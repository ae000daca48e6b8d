import { expect, test } from '@jest/globals'
import { readConfig } from '../src/config.ts'

const least = { KAFKA_BROKERS: 'a:1', KEK_FILE: '/kek' }

test('brokers and the KEK are all that must be said', () => {
  expect(readConfig(least)).toMatchObject({
    INGEST_PORT: 8082,
    INGEST_ADMIN_PORT: 9082,
    SCHEMA_ID_HEADERS: ['svc-schema-id', 'strm-schema-id', 'strm-schema-ref'],
    EVENT_BYTES_MAX: 1_048_576,
    PRODUCE_TIMEOUT_MS: 5_000,
  })
})

test('headers are compared in lower case', () => {
  expect(readConfig({ ...least, SCHEMA_ID_HEADERS: 'X-Id, Y' }).SCHEMA_ID_HEADERS).toEqual([
    'x-id',
    'y',
  ])
})

test.each([
  ['KAFKA_BROKERS', { KEK_FILE: '/kek' }],
  ['KEK_FILE', { KAFKA_BROKERS: 'a:1' }],
  ['TLS_KEY_FILE', { ...least, TLS_CERT_FILE: '/cert' }],
  ['TLS_KEY_FILE', { ...least, TLS_KEY_FILE: '/key' }],
  ['EVENT_BYTES_MAX', { ...least, EVENT_BYTES_MAX: '10' }],
  ['PRODUCE_TIMEOUT_MS', { ...least, PRODUCE_TIMEOUT_MS: 'soon' }],
])('a start without a sensible %s is refused by name', (key, env) => {
  expect(() => readConfig(env)).toThrow(key)
})
