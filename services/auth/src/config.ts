// What auth is told from outside: environment variables, read once in main, each with its unit and
// default. Secrets come in files or by name; no value of any of these is ever logged.
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
      `under whom ${service} logs in to Kafka, as Kafka writes it (\`User:weir-${service}\`): auth grants it the ACLs that it needs, stream by stream, and takes away any other; unset: none are granted`,
    )

const fields = z.object({
  AUTH_HOST: host()
    .default('127.0.0.1')
    .describe('where to listen, both ports; containers need 0.0.0.0'),
  AUTH_PORT: port().default(8081).describe('tokens and management; 0 takes any free one'),
  AUTH_ADMIN_PORT: port().default(9081).describe('metrics and health; 0 takes any free one'),
  ...stateFields,
  ...kekWrapsFields,
  PLATFORM_KEY: secretText()
    .refine((key) => key.length >= platformKeyCharsMin, platformKeyRule)
    .optional()
    .describe(
      `the key that may make accounts, ${platformKeyCharsMin} characters or more; this or PLATFORM_KEY_FILE`,
    ),
  PLATFORM_KEY_FILE: secretFileToMake()
    .optional()
    .describe(
      "a file with the platform key; made, readable by its owner alone, if it isn't there at the first start",
    ),
  KAFKA_ACLS: oneOf(['auto', 'required', 'off'])
    .default('auto')
    .describe(
      "ACLs for streams' credentials, so that analysts read with Kafka clients of their own: `auto` where Kafka has an authorizer",
    ),
  KAFKA_INGEST_PRINCIPAL: principal('ingest'),
  KAFKA_OUTPUT_PRINCIPAL: principal('output'),
  TOPIC_REPLICATION: integer({ min: 1, max: 32, of: 'brokers' })
    .optional()
    .describe("on how many brokers each new topic lies; unset: the brokers' own default"),
  KAFKA_REQUIRE_DURABLE: bool()
    .default(false)
    .describe(
      'not ready while Kafka may lose what it has acknowledged; the reasons say what to set',
    ),
  PRODUCE_TIMEOUT_MS: milliseconds({ min: 100, max: 60_000 })
    .default(5_000)
    .describe(
      'the value that ingest has: how long an accepted event may be on its way when its stream is deleted',
    ),
  LIMITS_DEFAULT_EVENT_RATE: limit('events a second')
    .default('100000')
    .describe('`eventRate` of a stream made without limits'),
  LIMITS_DEFAULT_EVENT_COUNT: limit('events a month')
    .default('1000000000')
    .describe('`eventCount` of a stream made without limits'),
  ERASURES_MAX: integer({ min: 1, max: 1_000_000, of: 'values' })
    .default(2_000)
    .describe(
      'how many erased values an account may have; each takes some 10 kB an era, in `weir.keys` and in the memory of every replica of every service',
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
