// Configuration: which values are accepted. All problems are reported without showing values.

import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'

import {
  bool,
  csv,
  file,
  integer,
  listConfigKeys,
  loadConfig,
  milliseconds,
  port,
  url,
} from '../../src/index.ts'

const schema = z.object({
  APP_PORT: port().default(8080).describe('the port that clients connect to'),
  BROKERS: csv().describe('host:port of the brokers, comma-separated'),
  REGISTRY: url().describe('address of the registry'),
  WAIT_MS: milliseconds({ min: 1 }).default(5000).describe('how long to wait'),
  VERBOSE: bool().default(false).describe('true to say more'),
  KEY_FILE: file().optional().describe('path of a key file'),
})
const good = { BROKERS: ' a:1, b:2 ,', REGISTRY: 'http://r:8085/apis/' }

function messageOf(env: Record<string, string>): string {
  try {
    loadConfig(schema, env)
  } catch (error) {
    if (error instanceof Error) return error.message
  }
  return ''
}

test('a complete environment gives typed values with defaults, and unknown variables are ignored', () => {
  expect(loadConfig(schema, { ...good, VERBOSE: '1', PATH: '/bin' })).toEqual({
    APP_PORT: 8080,
    BROKERS: ['a:1', 'b:2'],
    REGISTRY: 'http://r:8085/apis',
    WAIT_MS: 5000,
    VERBOSE: true,
    KEY_FILE: undefined,
  })
})

test('an empty variable counts as unset', () => {
  const config = loadConfig(schema, { ...good, APP_PORT: '', KEY_FILE: ' ' })
  expect(config.APP_PORT).toBe(8080)
  expect(config.KEY_FILE).toBeUndefined()
})

test('the error names every bad key at once, says what to set, and shows no value', () => {
  const message = messageOf({ APP_PORT: 'hunter2', REGISTRY: 'ftp://secret', WAIT_MS: '0' })
  expect(message).toContain('- APP_PORT is wrong: it must be a whole number from 0 to 65535')
  expect(message).toContain('- BROKERS is not set. Set it to: host:port of the brokers')
  expect(message).toContain('- REGISTRY is wrong')
  expect(message).toContain('- WAIT_MS is wrong: it must be a whole number from 1 to')
  expect(message).not.toMatch(/hunter2|ftp:|secret/)
})

test('a rule across fields is reported under the key it names', () => {
  const both = z
    .object({ CERT: file().optional(), KEY: file().optional().describe('the key of CERT') })
    .refine((config) => (config.CERT === undefined) === (config.KEY === undefined), {
      path: ['KEY'],
      message: 'CERT and KEY belong together',
    })
  expect(() => loadConfig(both, { CERT: 'a' })).toThrow(
    '- KEY is wrong: CERT and KEY belong together. Set it to: the key of CERT',
  )
})

test('a configuration is frozen all the way down', () => {
  const config = loadConfig(
    z.object({ A: csv() }).transform(({ A }) => ({ deep: { list: A } })),
    {
      A: 'x',
    },
  )
  expect(Object.isFrozen(config)).toBe(true)
  expect(Object.isFrozen(config.deep)).toBe(true)
  expect(Object.isFrozen(config.deep.list)).toBe(true)
})

test('the keys can be listed with description, default and whether they are required', () => {
  const keys = listConfigKeys(schema)
  expect(keys.map(({ key }) => key)).toEqual(Object.keys(schema.shape))
  expect(keys[0]).toEqual({
    key: 'APP_PORT',
    description: 'the port that clients connect to',
    required: false,
    fallback: 8080,
    unit: 'port',
  })
  expect(keys[1]).toMatchObject({ key: 'BROKERS', required: true })
  expect(keys[5]).toEqual({
    key: 'KEY_FILE',
    description: 'path of a key file',
    required: false,
    unit: 'file',
  })
})

describe('each field refuses what it cannot mean', () => {
  test.each([
    ['integer', integer({ min: 1, max: 9 }), ['0', '10', '1.5', '1e3', 'x', '0x10']],
    ['port', port(), ['65536', '-1', '80a']],
    ['milliseconds', milliseconds(), ['2147483648', '5s']],
    ['csv', csv(), [',', ' , ']],
    ['bool', bool(), ['yes', '2', 'on']],
    ['url', url(), ['localhost:80', 'http://', '//x', 'javascript:alert(1)']],
  ])('%s', (_, field, wrong) => {
    for (const text of wrong) expect([text, field.safeParse(text).success]).toEqual([text, false])
  })
})
