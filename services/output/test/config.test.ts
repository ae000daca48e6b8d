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
  ['OUTPUT_LEVELS', { ...least, OUTPUT_LEVELS: '256' }],
  ['OUTPUT_LEVELS', { ...least, OUTPUT_LEVELS: '0,3-1' }],
  ['OUTPUT_LEVELS', { ...least, OUTPUT_LEVELS: 'low' }],
])('a start without a sensible %s is refused by name', (key, env) => {
  expect(() => readConfig(env)).toThrow(key)
})

test('OUTPUT_LEVELS takes levels and ranges', () => {
  expect(readConfig(least).OUTPUT_LEVELS).toBeUndefined()
  const { OUTPUT_LEVELS: levels } = readConfig({ ...least, OUTPUT_LEVELS: '0-2, 2, 255' })
  expect(levels).toEqual([0, 1, 2, 255])
})
