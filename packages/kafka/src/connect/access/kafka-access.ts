// Converts the settings to the access options of createKafka. Certificate and password files are read again at each
// connection and each login, so they may be replaced at any time. If a file becomes unusable, its last usable content
// stays in use.
import * as tls from 'node:tls'

import type { KafkaSettings } from './kafka-settings.ts'
import type { Login } from './login.ts'
import { createTokenSource } from './oauth-token.ts'
import { fileReader, optionalFile, secretReader } from '@weir/kit'

export type KafkaAccess = {
  readonly brokers: readonly string[]
  /** Called for each connection. Without it, connections use no TLS. */
  readonly tls?: () => tls.ConnectionOptions
  readonly login?: Login
  /** The prefix of all names in Kafka. */
  readonly prefix?: string
}

/** Throws AppError `kit.setting_file_unreadable` if a file can't be read at the start. */
export function kafkaAccess(settings: KafkaSettings): KafkaAccess {
  const login = loginOf(settings)
  const secure = settings.KAFKA_TLS ? brokerTls(settings) : undefined
  secure?.()
  return {
    brokers: settings.KAFKA_BROKERS,
    prefix: settings.KAFKA_PREFIX,
    ...(secure ? { tls: secure } : {}),
    ...(login ? { login } : {}),
  }
}

type Files = readonly (Buffer | undefined)[]

function brokerTls(settings: KafkaSettings): () => tls.ConnectionOptions {
  let known: { files: Files; options: tls.ConnectionOptions } | undefined
  const read = (key: 'KAFKA_TLS_CA_FILE' | 'KAFKA_TLS_CERT_FILE' | 'KAFKA_TLS_KEY_FILE') =>
    optionalFile(key, settings[key])
  return () => {
    try {
      const files = [
        read('KAFKA_TLS_CA_FILE'),
        read('KAFKA_TLS_CERT_FILE'),
        read('KAFKA_TLS_KEY_FILE'),
      ]
      if (known === undefined || !areSame(known.files, files)) {
        const [ca, cert, key] = files
        known = { files, options: { secureContext: tls.createSecureContext({ ca, cert, key }) } }
      }
      return known.options
    } catch (error) {
      if (known === undefined) throw error
      return known.options
    }
  }
}

function loginOf(settings: KafkaSettings): Login | undefined {
  const { KAFKA_SASL_MECHANISM: mechanism } = settings
  if (mechanism === undefined) return undefined
  if (mechanism !== 'OAUTHBEARER') {
    const password = secretReader('KAFKA_SASL_PASSWORD_FILE', settings.KAFKA_SASL_PASSWORD_FILE)
    return { mechanism, username: settings.KAFKA_SASL_USERNAME ?? '', password }
  }
  const key = 'KAFKA_OAUTH_CLIENT_SECRET_FILE'
  const tokens = createTokenSource({
    url: settings.KAFKA_OAUTH_TOKEN_URL ?? '',
    clientId: settings.KAFKA_OAUTH_CLIENT_ID ?? '',
    scope: settings.KAFKA_OAUTH_SCOPE,
    secret: secretReader(key, settings[key]),
    ca: fileReader('KAFKA_OAUTH_CA_FILE', settings.KAFKA_OAUTH_CA_FILE),
  })
  return { mechanism, ...tokens }
}

const areSame = (files: Files, others: Files): boolean =>
  files.every((file, at) => {
    const other = others[at]
    return file === undefined || other === undefined ? file === other : file.equals(other)
  })
