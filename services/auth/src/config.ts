// auth's settings: environment variables, read once in main, each with its unit and default. A secret may come from a
// file, and is never logged.
import { kafkaFields, withKafkaRules } from '@weir/kafka'
import { registryFields, withRegistryRules } from '@weir/schema-registry'
import {
  bool,
  connectionFields,
  corsFields,
  docsFields,
  host,
  integer,
  keyRule,
  listenerTlsFields,
  loadConfig,
  logFields,
  milliseconds,
  oneOf,
  port,
  secretFileToMake,
  secretText,
  text,
  withListenerTlsRules,
} from '@weir/kit'
import type { Env } from '@weir/kit'
import { kekWrapsFields, stateFields, withKekRules, withWrapRules } from '@weir/control-state'
import { z } from 'zod'
import { limit } from './api/limit-field.ts'
import { platformKeyCharsMin, platformKeyRule } from './access/platform-key-rule.ts'

const principal = (service: string) =>
  text()
    .refine((name) => /^User:./.test(name), 'it must begin with `User:`')
    .optional()
    .describe(
      `the principal of ${service} in Kafka (\`User:weir-${service}\`): auth grants it the necessary ACLs, and removes all others; unset: no ACLs`,
    )

const fields = z.object({
  AUTH_HOST: host()
    .default('127.0.0.1')
    .describe('the address for both ports; containers need 0.0.0.0'),
  AUTH_PORT: port().default(8081).describe('the port for tokens and management; 0: any free port'),
  AUTH_ADMIN_PORT: port()
    .default(9081)
    .describe('the port for metrics and health; 0: any free port'),
  ...stateFields,
  ...kekWrapsFields,
  PLATFORM_KEY: secretText()
    .refine((key) => key.length >= platformKeyCharsMin, platformKeyRule)
    .optional()
    .describe(
      `the platform key, at least ${platformKeyCharsMin} characters long; set this or PLATFORM_KEY_FILE`,
    ),
  PLATFORM_KEY_FILE: secretFileToMake()
    .optional()
    .describe(
      'a file with the platform key; if it is missing, auth creates it, readable only by its owner',
    ),
  KAFKA_ACLS: oneOf(['auto', 'required', 'off'])
    .default('auto')
    .describe(
      'whether auth creates ACLs for the credentials of streams; `auto`: only if Kafka has an authorizer',
    ),
  KAFKA_INGEST_PRINCIPAL: principal('ingest'),
  KAFKA_OUTPUT_PRINCIPAL: principal('output'),
  TOPIC_REPLICATION: integer({ min: 1, max: 32, of: 'brokers' })
    .optional()
    .describe("replication factor of new topics; unset: the brokers' default"),
  KAFKA_REQUIRE_DURABLE: bool()
    .default(false)
    .describe('auth is not ready while settings of Kafka allow the loss of acknowledged events'),
  PRODUCE_TIMEOUT_MS: milliseconds({ min: 100, max: 60_000 })
    .default(5_000)
    .describe('the same value as in ingest; how long auth waits for events of a deleted stream'),
  LIMITS_DEFAULT_EVENT_RATE: limit('events a second')
    .default('100000')
    .describe('default `eventRate` of new streams'),
  LIMITS_DEFAULT_EVENT_COUNT: limit('events a month')
    .default('1000000000')
    .describe('default `eventCount` of new streams'),
  ERASURES_MAX: integer({ min: 1, max: 1_000_000, of: 'values' })
    .default(2_000)
    .describe(
      "maximum number of erased values of an account; each takes 3 to 4 kB of every replica's memory per term of 384 days",
    ),
  ACCOUNT_KEY_BYTES_MAX: integer({ min: 1_048_576, of: 'bytes' })
    .default(256 * 1_048_576)
    .describe('maximum size of the keys of an account; beyond that, erasures get 429'),
  KEY_BYTES_MAX: integer({ min: 1_048_576, of: 'bytes' })
    .default(384 * 1_048_576)
    .describe(
      'maximum size of all keys, which every replica has in memory; beyond that, erasures get 429',
    ),
  ...corsFields,
  ...docsFields,
  ...logFields,
  ...listenerTlsFields,
  ...connectionFields,
  ...kafkaFields,
  ...registryFields,
})

export const configSchema = withRegistryRules(
  withKafkaRules(
    withListenerTlsRules(
      withWrapRules(
        withKekRules(
          fields
            .refine(
              (config) =>
                config.PLATFORM_KEY !== undefined || config.PLATFORM_KEY_FILE !== undefined,
              keyRule('PLATFORM_KEY', 'either it or PLATFORM_KEY_FILE must be set'),
            )
            .refine(
              ({
                KAFKA_ACLS: acls,
                KAFKA_INGEST_PRINCIPAL: ingest,
                KAFKA_OUTPUT_PRINCIPAL: output,
              }) => acls !== 'off' || (ingest ?? output) === undefined,
              keyRule(
                'KAFKA_ACLS',
                'off leaves KAFKA_INGEST_PRINCIPAL and KAFKA_OUTPUT_PRINCIPAL without ACLs',
              ),
            ),
        ),
      ),
    ),
  ),
)

export type Config = z.infer<typeof configSchema>

export const readConfig = (env: Env): Config => loadConfig<Config>(configSchema, env)
