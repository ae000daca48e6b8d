// A record that was read: bigint offsets, one value per header, raw bytes.
export type Headers = Readonly<Record<string, Buffer>>

export type SourceRecord = {
  readonly partition: number
  readonly offset: bigint
  readonly timestampMs: number
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: Headers
}
