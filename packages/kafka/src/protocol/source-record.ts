// A record as readers of this package hand it on: bigint offsets, one value a header, bytes as they came.
import type { IHeaders } from 'kafkajs'

export type Headers = Readonly<Record<string, Buffer>>

export type SourceRecord = {
  readonly partition: number
  readonly offset: bigint
  readonly timestampMs: number
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: Headers
}

type FetchedRecord = {
  readonly offset: string
  readonly timestamp: string
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers?: IHeaders
}

export function toSourceRecord(partition: number, message: FetchedRecord): SourceRecord {
  return {
    partition,
    offset: BigInt(message.offset),
    timestampMs: Number(message.timestamp),
    key: message.key,
    value: message.value,
    headers: firstOfEach(message.headers ?? {}),
  }
}

// A header may come several times; Weir writes each once, so the first one counts. Whoever else writes may
// leave a value out, or give names that every object has: kafkajs then hands on something else beside it.
function firstOfEach(headers: IHeaders): Headers {
  const first: Record<string, Buffer> = {}
  for (const name in headers) {
    const values = headers[name]
    const value = Array.isArray(values) ? values.find(isBytes) : values
    if (name === '__proto__' || !isBytes(value)) continue
    first[name] = Buffer.isBuffer(value) ? value : Buffer.from(value)
  }
  return first
}

const isBytes = (value: unknown): value is Buffer | string =>
  Buffer.isBuffer(value) || typeof value === 'string'
