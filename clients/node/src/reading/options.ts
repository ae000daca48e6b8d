// The options of a topic to read. The types are structural, so that programs compile without Node's.

export type TlsOptions = {
  /** PEM of the authorities to trust. */
  readonly ca?: string | Uint8Array | undefined
  /** PEM of the client's certificate and of its key, if Kafka asks for one. */
  readonly cert?: string | Uint8Array | undefined
  readonly key?: string | Uint8Array | undefined
  readonly passphrase?: string | undefined
  /** The name in the broker's certificate, if it is not its host. */
  readonly servername?: string | undefined
  /** False accepts any certificate: only for tests. */
  readonly rejectUnauthorized?: boolean | undefined
}

export type ConnectionSettings = {
  /** `host:port` of some brokers. */
  readonly brokers: readonly string[]
  /** True, or what differs from Node's defaults. */
  readonly tls?: boolean | TlsOptions
  /** The name of this program in Kafka's logs and quotas (`weir-client`). */
  readonly clientId?: string
  /** An id token of the stream, valid for at least another 10 s. Called for each new connection. Without: no login. */
  readonly token?: () => Promise<string>
}

export type SessionOptions = ConnectionSettings & {
  readonly topic: string
  /** Kafka is unreachable after this time without progress (15,000). */
  readonly connectTimeoutMs?: number
}

export type TopicOptions = SessionOptions & {
  /** How the ids of the consumer groups begin. For a stream: its clientId, after the prefix of the topics if any. */
  readonly groupId: string
}

export type TopicSpan = {
  /** Begins at the first record of each partition with this or a later timestamp. */
  readonly fromMs?: number | undefined
}

/** An `AbortSignal`. */
export type StopSignal = {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options: { once: boolean }): void
}
