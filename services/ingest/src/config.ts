// Ingest's settings: environment variables, read once in main, each with its unit and default.
import { compressions, kafkaFields, withKafkaRules } from '@weir/kafka'
import {
  connectionFields,
  corsFields,
  csv,
  docsFields,
  host,
  integer,
  listenerTlsFields,
  loadConfig,
  logFields,
  milliseconds,
  oneOf,
  port,
  withListenerTlsRules,
} from '@weir/kit'
import type { Env } from '@weir/kit'
import { stateFields, withKekRules } from '@weir/control-state'
import { traceFields } from '@weir/trace'
import { z } from 'zod'

const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i

const fields = z.object({
  INGEST_HOST: host()
    .default('127.0.0.1')
    .describe('the address for both ports; containers need 0.0.0.0'),
  INGEST_PORT: port().default(8082).describe('the port for events; 0: any free port'),
  INGEST_ADMIN_PORT: port()
    .default(9082)
    .describe('the port for metrics and health; 0: any free port'),
  INGEST_HTTP: oneOf(['own', 'node'])
    .default('own')
    .describe('the HTTP/2 implementation: `own` is faster than node:http2 (adr/0021)'),
  ...stateFields,
  SCHEMA_ID_HEADERS: csv()
    .refine(
      (names) => names.every((name) => headerName.test(name)),
      'it must be names of HTTP headers, with commas between',
    )
    .default(['svc-schema-id', 'strm-schema-id', 'strm-schema-ref'])
    .transform((names) => names.map((name) => name.toLowerCase()))
    .describe('the headers with the contract id; the first that is present counts'),
  EVENT_BYTES_MAX: integer({ min: 1_024, max: 2_097_152, of: 'bytes' })
    .default(1_048_576)
    .describe('maximum size of an event, before and after decompression'),
  PRODUCE_TIMEOUT_MS: milliseconds({ min: 100, max: 60_000 })
    .default(5_000)
    .describe('maximum time for Kafka to acknowledge an event; after that, the producer gets 503'),
  IN_FLIGHT_BYTES_MAX: integer({ min: 1_048_576, of: 'bytes' })
    .default(32 * 1_048_576)
    .describe('maximum number of bytes that wait for Kafka; beyond that, producers get 503'),
  SUBJECT_LINKS_MAX: integer({ min: 1 })
    .default(5_000)
    .describe(
      'maximum number of pseudonyms (key field values) of a data subject in a term of 384 days; events with more get 429',
    ),
  PRODUCE_COMPRESSION: oneOf(compressions)
    .default('none')
    .describe(
      'how batches are compressed for Kafka; encrypted fields do not get shorter, and ingest needs more CPU (adr/0036)',
    ),
  ...corsFields,
  ...docsFields,
  ...logFields,
  ...listenerTlsFields,
  ...connectionFields,
  ...kafkaFields,
  ...traceFields,
})

export const configSchema = withKafkaRules(withListenerTlsRules(withKekRules(fields)))

export type Config = z.infer<typeof configSchema>

export const readConfig = (env: Env): Config => loadConfig<Config>(configSchema, env)

/**
 * Returns the maximum bytes of unanswered bodies that our own HTTP/2 keeps: half of IN_FLIGHT_BYTES_MAX, because a
 * record with encrypted fields is seldom larger than twice its body. So if Kafka is slow, the HTTP/2 windows close
 * before any request is refused. At least 8 events of the maximum size, so that large events can proceed.
 */
export const heldBytesMaxOf = ({ IN_FLIGHT_BYTES_MAX, EVENT_BYTES_MAX }: Config): number =>
  Math.max(Math.floor(IN_FLIGHT_BYTES_MAX / 2), 8 * EVENT_BYTES_MAX)

/**
 * Returns how many bytes requests of many events may have in flight to Kafka: all requests together (`bytesMax`), and
 * each request (`shareBytesMax`).
 */
export const backlogOf = ({ IN_FLIGHT_BYTES_MAX }: Config) => ({
  bytesMax: Math.floor(IN_FLIGHT_BYTES_MAX / 4),
  shareBytesMax: Math.min(2 * 1_048_576, Math.floor(IN_FLIGHT_BYTES_MAX / 8)),
})
