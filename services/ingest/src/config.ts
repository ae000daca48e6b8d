// What ingest is told from outside: environment variables, read once in main, each with its unit and
// default.
import {
  csv,
  integer,
  loadConfig,
  milliseconds,
  optionalFilePath,
  port,
  tlsRule,
  url,
} from '@weir/kit'
import { z } from 'zod'

const fields = z.object({
  INGEST_HOST: z.string().default('127.0.0.1').describe('the address to listen on'),
  INGEST_PORT: port().default(8082).describe('the port for events; 0 takes any free one'),
  INGEST_ADMIN_PORT: port().default(9082).describe('the port for metrics and health'),
  INGEST_HTTP: z
    .enum(['own', 'node'])
    .default('own')
    .describe('which HTTP/2 answers: our own, or node:http2, which is slower'),
  KAFKA_BROKERS: csv().describe('the Kafka brokers, host:port, comma-separated'),
  KEK_FILE: z
    .string()
    .describe('the file with the key-encryption keys, one `name version key` a line'),
  AUTH_PUBLIC_URL: url()
    .default('http://127.0.0.1:8081')
    .describe('the address of auth as clients see it: the issuer that tokens must name'),
  SCHEMA_ID_HEADERS: csv()
    .default(['svc-schema-id', 'strm-schema-id', 'strm-schema-ref'])
    .transform((names) => names.map((name) => name.toLowerCase()))
    .describe('the request headers that may name the contract, first one first'),
  EVENT_BYTES_MAX: integer({ min: 1_024, max: 2_097_152 })
    .default(1_048_576)
    .describe('the largest event, in bytes, as received and as decompressed'),
  PRODUCE_TIMEOUT_MS: milliseconds({ min: 100, max: 60_000 })
    .default(5_000)
    .describe('how long Kafka may take to acknowledge an event, in milliseconds'),
  IN_FLIGHT_BYTES_MAX: integer({ min: 1_048_576 })
    .default(32 * 1_048_576)
    .describe('how many bytes of events may be on their way to Kafka'),
  TLS_CERT_FILE: optionalFilePath().describe(
    'the certificate chain, PEM; with it ingest speaks TLS',
  ),
  TLS_KEY_FILE: optionalFilePath().describe('the private key of the certificate, PEM'),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error'])
    .default('info')
    .describe('how much is logged'),
})

export const configSchema = fields.refine(...tlsRule)

export type Config = z.infer<typeof configSchema>

export const readConfig = (env: NodeJS.ProcessEnv): Config => loadConfig<Config>(configSchema, env)

/**
 * What our own HTTP/2 may hold of bodies that are not answered yet: half of what may be on its way to Kafka,
 * since a record, its fields sealed, is seldom more than twice its body. So when Kafka is slow the windows
 * close before anything is refused. With less than some of the largest events nothing would get on.
 */
export const heldBytesMaxOf = ({ IN_FLIGHT_BYTES_MAX, EVENT_BYTES_MAX }: Config): number =>
  Math.max(Math.floor(IN_FLIGHT_BYTES_MAX / 2), 8 * EVENT_BYTES_MAX)

/** What requests of many events may have on their way to Kafka, all together and each. */
export const backlogOf = ({ IN_FLIGHT_BYTES_MAX }: Config) => ({
  bytesMax: Math.floor(IN_FLIGHT_BYTES_MAX / 4),
  shareBytesMax: Math.min(2 * 1_048_576, Math.floor(IN_FLIGHT_BYTES_MAX / 8)),
})
