// A record to be written, without or with its destination.
export type OutRecord = {
  readonly key: Buffer | string | null
  /** null: a tombstone. */
  readonly value: Buffer | string | null
  readonly headers?: Readonly<Record<string, Buffer | string>>
  /** The time of sending when left out. */
  readonly timestampMs?: number
}

export type AddressedRecord = OutRecord & {
  readonly topic: string
  /** By the key's hash when left out. */
  readonly partition?: number
}
