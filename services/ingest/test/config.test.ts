import { expect, test } from '@jest/globals'
import { heldBytesMaxOf, readConfig } from '../src/config.ts'

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

test('windows close before Kafka has too much under way, unless a few of the largest events are too much', () => {
  const heldBytesMax = (env: object): number => heldBytesMaxOf(readConfig({ ...least, ...env }))
  expect(heldBytesMax({})).toBe(16 * 1_048_576)
  expect(heldBytesMax({ IN_FLIGHT_BYTES_MAX: '20000001' })).toBe(10_000_000)
  expect(heldBytesMax({ IN_FLIGHT_BYTES_MAX: '1048576', EVENT_BYTES_MAX: '4096' })).toBe(524_288)
  expect(heldBytesMax({ IN_FLIGHT_BYTES_MAX: '1048576' })).toBe(8 * 1_048_576)
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
