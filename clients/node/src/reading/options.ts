// The options for reading a topic, and their checks. The types don't need Node's types, so that programs compile
// without them.
import { callback, certificates, checkOptions, count, required, text } from '../options.ts'
import type { Rule, Rules } from '../options.ts'

export type TlsOptions = {
  /** CA certificates to trust (PEM). */
  readonly ca?: string | Uint8Array | undefined
  /** The client's certificate (PEM), if Kafka asks for one. */
  readonly cert?: string | Uint8Array | undefined
  /** The key of `cert` (PEM). */
  readonly key?: string | Uint8Array | undefined
  readonly passphrase?: string | undefined
  /** The name in the broker's certificate, if it differs from the host. */
  readonly servername?: string | undefined
  /** False accepts any certificate: only for tests. */
  readonly rejectUnauthorized?: boolean | undefined
}

export type ConnectionSettings = {
  /** The addresses of one or more brokers, as `host:port`. */
  readonly brokers: readonly string[]
  /** True, or the options that differ from Node's defaults. */
  readonly tls?: boolean | TlsOptions
  /** The name of this program in Kafka's logs and quotas. Default: `weir-client`. */
  readonly clientId?: string
  /**
   * Returns an id token of the stream, valid for at least another 5 s. Called for each new connection. Without this
   * function, there is no login.
   */
  readonly token?: () => Promise<string>
}

export type SessionOptions = ConnectionSettings & {
  readonly topic: string
  /** After this time without progress, Kafka counts as unreachable. Default: 15,000. */
  readonly connectTimeoutMs?: number
}

export type TopicOptions = SessionOptions & {
  /** The beginning of the consumer groups' ids. For a stream: the clientId, after the prefix of the topics, if any. */
  readonly groupId: string
}

export type TopicSpan = {
  /** Reading begins at the first record of each partition with at least this timestamp. */
  readonly fromMs?: number | undefined
}

/** An `AbortSignal`. */
export type StopSignal = {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

const isHostAndPort = (value: unknown): boolean =>
  typeof value === 'string' && /^[^\s/]+:\d+$/.test(value.trim())

const flag: Rule = { what: 'true or false', fits: (value) => typeof value === 'boolean' }

const tlsRules: Rules<TlsOptions> = {
  ca: certificates,
  cert: { ...certificates, what: 'a certificate, in PEM' },
  key: { ...certificates, what: 'a private key, in PEM' },
  passphrase: text('the passphrase of the key'),
  servername: text("the name in the broker's certificate"),
  rejectUnauthorized: flag,
}

const rules: Rules<TopicOptions> = {
  brokers: required({
    what: "a list of Kafka's addresses, such as ['127.0.0.1:9094']",
    fits: (value) =>
      Array.isArray(value) && value.length > 0 && value.every((each) => isHostAndPort(each)),
  }),
  topic: required(text("the topic's name")),
  groupId: required(text('the beginning of the ids of consumer groups')),
  tls: {
    what: 'true, false or an object with options',
    fits: (value) => typeof value === 'boolean' || (typeof value === 'object' && value !== null),
  },
  clientId: text("this program's name"),
  token: {
    ...callback,
    what: 'a function that returns an id token, such as createTokenSource makes',
  },
  connectTimeoutMs: count,
}

const spanRules: Rules<TopicSpan> = {
  fromMs: { what: 'a number of milliseconds since 1970', fits: Number.isFinite },
}

/** @throws TypeError for invalid options */
export function checkTopicOptions(options: TopicOptions, span: TopicSpan): void {
  checkOptions('openTopic', options, rules)
  if (typeof options.tls === 'object') checkOptions('openTopic: tls', options.tls, tlsRules)
  checkOptions('openTopic', span, spanRules)
}
