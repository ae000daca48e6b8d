// The records that `read` hands out: bigint offsets, raw bytes, one value per header.

/** Node's Buffer, for programs with Node's types; other compilers see a Uint8Array. */
export type Bytes = typeof globalThis extends {
  Buffer: { isBuffer(value: unknown): value is infer B }
}
  ? B
  : Uint8Array

export type TopicRecord = {
  readonly partition: number
  readonly offset: bigint
  readonly timestampMs: number
  readonly key: Bytes | null
  readonly value: Bytes | null
  /** The last value of each header. */
  readonly headers: Readonly<Record<string, Bytes>>
}
