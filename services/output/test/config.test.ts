import { expect, test } from '@jest/globals'
import { readConfig } from '../src/config.ts'

const least = { KAFKA_BROKERS: 'a:1', KEK_FILE: '/kek' }

test('brokers and the KEK are all that must be said', () => {
  expect(readConfig(least)).toMatchObject({
    OUTPUT_PORT: 8083,
    OUTPUT_ADMIN_PORT: 9083,
    DECRYPTER_NAMES: ['default'],
  })
})

test.each([
  ['KAFKA_BROKERS', { KEK_FILE: '/kek' }],
  ['KEK_FILE', { KAFKA_BROKERS: 'a:1' }],
  ['TLS_KEY_FILE', { ...least, TLS_CERT_FILE: '/cert' }],
  ['TLS_KEY_FILE', { ...least, TLS_KEY_FILE: '/key' }],
  ['LAG_SERIES_MAX', { ...least, LAG_SERIES_MAX: '0' }],
  ['AUTH_PUBLIC_URL', { ...least, AUTH_PUBLIC_URL: 'auth' }],
])('a start without a sensible %s is refused by name', (key, env) => {
  expect(() => readConfig(env)).toThrow(key)
})
