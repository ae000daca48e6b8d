// A record to write, with or without its destination.
export type OutRecord = {
  readonly key: Buffer | string | null
  /** null: a tombstone. */
  readonly value: Buffer | string | null
  readonly headers?: Readonly<Record<string, Buffer | string>>
  /** By default the time of sending. */
  readonly timestampMs?: number
}

export type AddressedRecord = OutRecord & {
  readonly topic: string
  /** By default, the key's hash decides. */
  readonly partition?: number
}
