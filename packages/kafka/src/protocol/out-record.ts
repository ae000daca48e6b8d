// A record to write, with or without its destination.
export type OutRecord = {
  readonly key: Buffer | string | null
  /** null: a tombstone. */
  readonly value: Buffer | string | null
  readonly headers?: Readonly<Record<string, Buffer | string>>
  /** The time of sending if left out. */
  readonly timestampMs?: number
}

export type AddressedRecord = OutRecord & {
  readonly topic: string
  /** Chosen by the key's hash if left out. */
  readonly partition?: number
}
