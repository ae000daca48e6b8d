// The settings of connections and logins to Kafka, and the rules for their combinations. The rules refuse a setting
// that would have no effect, such as a CA file without TLS.

import {
  areAPair,
  bool,
  certificateFile,
  hostPorts,
  keyRule,
  oneOf,
  privateKeyFile,
  secretFile,
  text,
  url,
} from '@weir/kit'
import { z } from 'zod'

const PREFIX_LENGTH_MAX = 100
const prefixRule = `it must be letters, digits, - and _ in parts that each end with a dot, such as "team-a.", at most ${PREFIX_LENGTH_MAX} characters; only its last part may be "weir."`

/**
 * Each segment of the prefix ends with a dot, so that installations with different prefixes have no name in common
 * (docs/operations.md, Sharing a cluster).
 */
const prefix = () =>
  text()
    .max(PREFIX_LENGTH_MAX, prefixRule)
    .regex(/^(?!(?:.*\.)?weir\..)([A-Za-z0-9][A-Za-z0-9_-]*\.)+$/, prefixRule)

export const kafkaFields = {
  KAFKA_BROKERS: hostPorts().describe('the Kafka brokers to connect to first'),
  KAFKA_PREFIX: prefix()
    .default('')
    .describe(
      'the prefix of all names in Kafka, so that several installations can share a cluster',
    ),
  KAFKA_TLS: bool().default(false).describe('whether connections use TLS'),
  KAFKA_TLS_CA_FILE: certificateFile()
    .optional()
    .describe("the CA certificates; unset: Node's own list"),
  KAFKA_TLS_CERT_FILE: certificateFile()
    .optional()
    .describe('the certificate chain for mutual TLS; set KAFKA_TLS_KEY_FILE, too'),
  KAFKA_TLS_KEY_FILE: privateKeyFile()
    .optional()
    .describe('the private key of KAFKA_TLS_CERT_FILE'),
  KAFKA_SASL_MECHANISM: oneOf(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'])
    .optional()
    .describe('how the service logs in; unset: no login'),
  KAFKA_SASL_USERNAME: text().optional().describe('the user name, for PLAIN and SCRAM'),
  KAFKA_SASL_PASSWORD_FILE: secretFile()
    .optional()
    .describe('a file with the password, for PLAIN and SCRAM'),
  KAFKA_OAUTH_TOKEN_URL: url()
    .optional()
    .describe('the token endpoint, for the client credentials grant'),
  KAFKA_OAUTH_CLIENT_ID: text().optional().describe('the client id'),
  KAFKA_OAUTH_CLIENT_SECRET_FILE: secretFile().optional().describe('a file with the client secret'),
  KAFKA_OAUTH_SCOPE: text().optional().describe('the scope to request'),
  KAFKA_OAUTH_CA_FILE: certificateFile()
    .optional()
    .describe("the CA certificates for the token endpoint; unset: Node's own list"),
}

const schema = z.object(kafkaFields)

export type KafkaSettings = z.infer<typeof schema>

type Key = keyof KafkaSettings

const TLS_KEYS = ['KAFKA_TLS_CA_FILE', 'KAFKA_TLS_CERT_FILE', 'KAFKA_TLS_KEY_FILE'] as const
const PASSWORD_KEYS = ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD_FILE'] as const
const OAUTH_KEYS = [
  'KAFKA_OAUTH_TOKEN_URL',
  'KAFKA_OAUTH_CLIENT_ID',
  'KAFKA_OAUTH_CLIENT_SECRET_FILE',
] as const
const OAUTH_EXTRAS = ['KAFKA_OAUTH_SCOPE', 'KAFKA_OAUTH_CA_FILE'] as const

type Rule = {
  readonly key: Key
  readonly message: string
  holds(settings: Partial<KafkaSettings>): boolean
}

const isOauth = ({ KAFKA_SASL_MECHANISM: mechanism }: Partial<KafkaSettings>): boolean =>
  mechanism === 'OAUTHBEARER'
const hasPassword = (settings: Partial<KafkaSettings>): boolean =>
  settings.KAFKA_SASL_MECHANISM !== undefined && !isOauth(settings)

/** Returns the rule that `key` may be set only if `when` returns true. */
const onlyWhen = (key: Key, when: Rule['holds'], message: string): Rule => ({
  key,
  message,
  holds: (settings) => settings[key] === undefined || when(settings),
})

const neededWhen = (key: Key, when: Rule['holds'], message: string): Rule => ({
  key,
  message,
  holds: (settings) => settings[key] !== undefined || !when(settings),
})

const rules: readonly Rule[] = [
  ...TLS_KEYS.map((key) =>
    onlyWhen(key, ({ KAFKA_TLS }) => KAFKA_TLS !== false, 'it needs KAFKA_TLS=true'),
  ),
  ...PASSWORD_KEYS.flatMap((key) => [
    onlyWhen(key, hasPassword, 'it needs KAFKA_SASL_MECHANISM to be PLAIN or a SCRAM'),
    neededWhen(key, hasPassword, 'KAFKA_SASL_MECHANISM needs it'),
  ]),
  ...OAUTH_KEYS.flatMap((key) => [
    onlyWhen(key, isOauth, 'it needs KAFKA_SASL_MECHANISM=OAUTHBEARER'),
    neededWhen(key, isOauth, 'KAFKA_SASL_MECHANISM=OAUTHBEARER needs it'),
  ]),
  ...OAUTH_EXTRAS.map((key) => onlyWhen(key, isOauth, 'it needs KAFKA_SASL_MECHANISM=OAUTHBEARER')),
  {
    key: 'KAFKA_TLS_KEY_FILE',
    message: 'it and KAFKA_TLS_CERT_FILE go together: set both or neither',
    holds: ({ KAFKA_TLS_CERT_FILE: cert, KAFKA_TLS_KEY_FILE: key }) =>
      (cert === undefined) === (key === undefined),
  },
  {
    key: 'KAFKA_TLS_KEY_FILE',
    message: 'it is not the key of the first certificate in KAFKA_TLS_CERT_FILE',
    holds: ({ KAFKA_TLS_CERT_FILE: cert, KAFKA_TLS_KEY_FILE: key }) => areAPair(cert, key),
  },
]

export function withKafkaRules<T extends z.ZodType<KafkaSettings>>(fields: T): T {
  return rules.reduce(
    (ruled, { key, message, holds }) => ruled.refine(holds, keyRule(key, message)),
    fields,
  )
}
