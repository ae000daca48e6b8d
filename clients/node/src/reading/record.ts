// A record as the reader hands it out: bigint offsets, raw bytes, one value per header.
import type { IHeaders, KafkaMessage } from 'kafkajs'

export type TopicRecord = {
  readonly partition: number
  readonly offset: bigint
  readonly timestampMs: number
  readonly key: Buffer | null
  readonly value: Buffer | null
  /** The last value of each header. */
  readonly headers: Readonly<Record<string, Buffer>>
}

export type Message = Pick<KafkaMessage, 'offset' | 'timestamp' | 'key' | 'value' | 'headers'>

export const recordOf = (
  partition: number,
  offset: bigint,
  { timestamp, key, value, headers }: Message,
): TopicRecord => ({
  partition,
  offset,
  timestampMs: Number(timestamp),
  key,
  value,
  headers: headersOf(headers),
})

function headersOf(headers: IHeaders = {}): Record<string, Buffer> {
  const found: Record<string, Buffer> = {}
  for (const [name, values] of Object.entries(headers)) {
    const value = Array.isArray(values) ? values.at(-1) : values
    if (value !== undefined && value !== null) found[name] = Buffer.from(value)
  }
  return found
}
