// Converts a message of kafkajs to a record, with one value per header.
import type { IHeaders, KafkaMessage } from 'kafkajs'
import type { TopicRecord } from './record.ts'

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
