// Kafka settings that belong together: incomplete logins and unused files are refused.
import { describe, expect, test } from '@jest/globals'
import { loadConfig } from '@weir/kit'
import { z } from 'zod'

import { kafkaFields, withKafkaRules } from '../../src/connect/access/kafka-settings.ts'

const kafka = withKafkaRules(z.object(kafkaFields))
const brokers = { KAFKA_BROKERS: 'kafka:9093' }
const scram = {
  ...brokers,
  KAFKA_SASL_MECHANISM: 'SCRAM-SHA-256',
  KAFKA_SASL_USERNAME: 'weir',
  KAFKA_SASL_PASSWORD_FILE: '/password',
}
const oauth = {
  ...brokers,
  KAFKA_SASL_MECHANISM: 'OAUTHBEARER',
  KAFKA_OAUTH_TOKEN_URL: 'https://tokens/token',
  KAFKA_OAUTH_CLIENT_ID: 'weir',
  KAFKA_OAUTH_CLIENT_SECRET_FILE: '/secret',
}
const tls = { ...brokers, KAFKA_TLS: 'true' }
const mutual = { ...tls, KAFKA_TLS_CERT_FILE: '/cert', KAFKA_TLS_KEY_FILE: '/key' }

test.each([brokers, scram, oauth, tls, mutual])('%j is complete', (env) => {
  expect(loadConfig(kafka, env)).toMatchObject({ KAFKA_BROKERS: ['kafka:9093'] })
})

describe('what is missing, or of no use, is refused by name', () => {
  test.each([
    ['KAFKA_SASL_USERNAME', { ...scram, KAFKA_SASL_USERNAME: '' }],
    ['KAFKA_SASL_PASSWORD_FILE', { ...scram, KAFKA_SASL_PASSWORD_FILE: '' }],
    ['KAFKA_SASL_USERNAME', { ...scram, KAFKA_SASL_MECHANISM: '' }],
    ['KAFKA_SASL_PASSWORD_FILE', { ...oauth, KAFKA_SASL_PASSWORD_FILE: '/password' }],
    ['KAFKA_OAUTH_TOKEN_URL', { ...oauth, KAFKA_OAUTH_TOKEN_URL: '' }],
    ['KAFKA_OAUTH_CLIENT_SECRET_FILE', { ...oauth, KAFKA_OAUTH_CLIENT_SECRET_FILE: '' }],
    ['KAFKA_OAUTH_SCOPE', { ...scram, KAFKA_OAUTH_SCOPE: 'kafka' }],
    ['KAFKA_TLS_CA_FILE', { ...brokers, KAFKA_TLS_CA_FILE: '/ca' }],
    ['KAFKA_TLS_CERT_FILE', { ...mutual, KAFKA_TLS: 'false' }],
    ['KAFKA_TLS_KEY_FILE', { ...mutual, KAFKA_TLS_KEY_FILE: '' }],
    ['KAFKA_BROKERS', { KAFKA_BROKERS: 'kafka' }],
    ['KAFKA_BROKERS', { KAFKA_BROKERS: 'kafka:9093,http://kafka:9093' }],
    ['KAFKA_BROKERS', { KAFKA_BROKERS: 'kafka:99999' }],
  ])('%s in %j', (key, env) => {
    expect(() => loadConfig(kafka, env)).toThrow(`\n- ${key} is wrong: `)
  })
})

describe('a prefix is of parts that end with a dot', () => {
  test.each(['', 'a.', 'team-a.', 'Team_1.weir.', 'weir.', `${'a'.repeat(99)}.`])(
    '%j',
    (prefix) => {
      const { KAFKA_PREFIX } = loadConfig(kafka, { ...brokers, KAFKA_PREFIX: prefix })
      expect(KAFKA_PREFIX).toBe(prefix)
    },
  )
  test.each([
    'a', // «a» and «ab» would share names
    '.a.',
    'a..',
    'a b.',
    'a/b.',
    '_a.',
    '*.',
    'weir.derive.', // a Weir without a prefix has an ACL for all transactional ids with this prefix
    'a.weir.tail.',
    `${'a'.repeat(100)}.`,
  ])('not %j', (prefix) => {
    expect(() => loadConfig(kafka, { ...brokers, KAFKA_PREFIX: prefix })).toThrow(
      '\n- KAFKA_PREFIX is wrong: it must be ',
    )
  })
})
