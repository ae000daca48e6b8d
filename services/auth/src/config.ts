// What auth is told from outside: environment variables, read once in main, each with its unit and
// default. Secrets come in files or by name; no value of any of these is ever logged.
import {
  csv,
  integer,
  keyRule,
  loadConfig,
  milliseconds,
  optionalFilePath,
  port,
  tlsRule,
  url,
} from '@weir/kit'
import { z } from 'zod'

const limit = () =>
  z
    .string()
    .trim()
    .regex(/^(?!0+$)\d{1,15}$/, 'it must be 1 to 15 digits, and not 0')

const fields = z.object({
  AUTH_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('the address to listen on, for both ports; containers need 0.0.0.0'),
  AUTH_PORT: port().default(8081).describe('the port of the API; 0 takes any free one'),
  AUTH_ADMIN_PORT: port()
    .default(9081)
    .describe('the port for metrics and health; 0 takes any free one'),
  AUTH_PUBLIC_URL: url()
    .default('http://127.0.0.1:8081')
    .describe('the address of auth as clients see it; every token names it as its issuer'),
  KAFKA_BROKERS: csv().describe('the Kafka brokers, host:port, comma-separated'),
  SCHEMA_REGISTRY_URL: url().describe('the schema registry, as a Confluent client takes it'),
  KEK_FILE: z
    .string()
    .describe('the file with the key-encryption keys, one `name version key` a line'),
  PLATFORM_KEY: z
    .string()
    .trim()
    .optional()
    .describe('the key that may make accounts; this or PLATFORM_KEY_FILE'),
  PLATFORM_KEY_FILE: optionalFilePath().describe(
    'a file that holds the platform key; made, readable by its owner alone, when it is not there',
  ),
  TOPIC_REPLICATION: integer({ min: 1, max: 32 })
    .optional()
    .describe("how many brokers hold each new topic; the brokers' own default when unset"),
  PRODUCE_TIMEOUT_MS: milliseconds({ min: 100, max: 60_000 })
    .default(5_000)
    .describe('how long ingest may take to store an event, in milliseconds; the same as its own'),
  LIMITS_DEFAULT_EVENT_RATE: limit()
    .default('100000')
    .describe('events a second that a stream made without limits may take'),
  LIMITS_DEFAULT_EVENT_COUNT: limit()
    .default('1000000000')
    .describe('events a calendar month that a stream made without limits may take'),
  TLS_CERT_FILE: optionalFilePath().describe('the certificate chain, PEM; with it auth speaks TLS'),
  TLS_KEY_FILE: optionalFilePath().describe('the private key of the certificate, PEM'),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error'])
    .default('info')
    .describe('how much is logged'),
})

export const configSchema = fields
  .refine(
    (config) => config.PLATFORM_KEY !== undefined || config.PLATFORM_KEY_FILE !== undefined,
    keyRule('PLATFORM_KEY', 'either it or PLATFORM_KEY_FILE must be set'),
  )
  .refine(...tlsRule)

export type Config = z.infer<typeof configSchema>

export const readConfig = (env: NodeJS.ProcessEnv): Config => loadConfig<Config>(configSchema, env)
