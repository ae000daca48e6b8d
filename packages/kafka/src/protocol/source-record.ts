// A record as readers of this package hand it on: bigint offsets, one value a header, bytes as they came.
export type Headers = Readonly<Record<string, Buffer>>

export type SourceRecord = {
  readonly partition: number
  readonly offset: bigint
  readonly timestampMs: number
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: Headers
}
