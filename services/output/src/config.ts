// output's configuration: environment variables, read once in main, each with its unit and default.
import { kafkaFields, withKafkaRules } from '@weir/kafka'
import {
  connectionFields,
  csv,
  docsFields,
  host,
  integer,
  listenerTlsFields,
  loadConfig,
  logFields,
  port,
  url,
  withListenerTlsRules,
  withUnit,
} from '@weir/kit'
import type { Env } from '@weir/kit'
import { stateFields, withKekRules } from '@weir/control-state'
import { traceFields } from '@weir/trace'
import { z } from 'zod'

/** The form of names that auth accepts. */
const decrypterName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/

/** Returns the levels in `5` or `5-9`, or no levels for any other text. */
function levelsIn(item: string): number[] {
  const [, from = '', to = from] = /^(\d{1,3})(?:\s*-\s*(\d{1,3}))?$/.exec(item) ?? []
  if (from === '' || Number(to) > 255) return []
  return Array.from({ length: Number(to) - Number(from) + 1 }, (_, step) => Number(from) + step)
}

const fields = z.object({
  OUTPUT_HOST: host()
    .default('127.0.0.1')
    .describe('the address for both ports; containers need 0.0.0.0'),
  OUTPUT_PORT: port()
    .default(8083)
    .describe('the port for WebSockets and the console; 0: any free port'),
  OUTPUT_ADMIN_PORT: port()
    .default(9083)
    .describe('the port for metrics and health; 0: any free port'),
  ...stateFields,
  DECRYPTER_NAMES: csv()
    .refine(
      (names) => names.every((name) => decrypterName.test(name)),
      'it must be names of letters, digits, ., _ and -, with commas between',
    )
    .default(['default'])
    .describe('the `decrypterName` of the streams that this deployment derives'),
  OUTPUT_LEVELS: withUnit(
    csv()
      .refine(
        (items) => items.every((item) => levelsIn(item).length > 0),
        'it must be levels from 0 to 255, or ranges of them such as 0-3, with commas between',
      )
      .transform((items): readonly number[] => [...new Set(items.flatMap(levelsIn))]),
    '0, 1, 5-9, …',
  )
    .optional()
    .describe(
      'the levels that this deployment may decrypt; it does not derive streams that need other levels; unset: all',
    ),
  CONSOLE_AUTH_URL: url()
    .optional()
    .describe('the address of auth for browsers; unset: AUTH_PUBLIC_URL'),
  CONSOLE_INGEST_URL: url()
    .default('http://127.0.0.1:8082')
    .describe('the address of ingest for browsers'),
  WEBSOCKETS_PER_CREDENTIAL_MAX: integer({ min: 1, max: 100_000, of: 'WebSockets' })
    .default(100)
    .describe(
      'maximum number of open WebSockets of one pair of credentials or API key, on a replica',
    ),
  LAG_SERIES_MAX: integer({ min: 1, max: 10_000, of: 'series' })
    .default(100)
    .describe('maximum number of streams in the metric for the lag: those with the largest lag'),
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
