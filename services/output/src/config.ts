// What output is told from outside: environment variables, read once in main, each with its unit and
// default.
import { csv, integer, loadConfig, optionalFilePath, port, tlsRule, url } from '@weir/kit'
import { z } from 'zod'

const fields = z.object({
  OUTPUT_HOST: z.string().default('127.0.0.1').describe('the address to listen on'),
  OUTPUT_PORT: port().default(8083).describe('the port for WebSockets; 0 takes any free one'),
  OUTPUT_ADMIN_PORT: port().default(9083).describe('the port for metrics and health'),
  KAFKA_BROKERS: csv().describe('the Kafka brokers, host:port, comma-separated'),
  KEK_FILE: z
    .string()
    .describe('the file with the key-encryption keys, one `name version key` a line'),
  AUTH_PUBLIC_URL: url()
    .default('http://127.0.0.1:8081')
    .describe('the address of auth as clients see it: the issuer that tokens must name'),
  DECRYPTER_NAMES: csv()
    .default(['default'])
    .describe('which derived streams this deployment derives, by their decrypterName'),
  LAG_SERIES_MAX: integer({ min: 1, max: 10_000 })
    .default(100)
    .describe('how many derived streams show their lag in the metrics, the largest first'),
  TLS_CERT_FILE: optionalFilePath().describe(
    'the certificate chain, PEM; with it output speaks TLS',
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
