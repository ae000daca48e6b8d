// Reads a record batch with the decoder of `@platformatic/kafka`, which shares no code with our encoder.
import { Reader, readRecordsBatch } from '@platformatic/kafka'

const IN_TRANSACTION = 0x10

export function readBatch(bytes: Buffer) {
  const { records, attributes, firstTimestamp, ...batch } = readRecordsBatch(Reader.from(bytes))
  return {
    ...batch,
    inTransaction: (attributes & IN_TRANSACTION) !== 0,
    records: records.map(({ offsetDelta, timestampDelta, key, value, headers }) => ({
      offset: offsetDelta,
      timestampMs: Number(firstTimestamp + timestampDelta),
      key: key?.toString(),
      value: value?.toString(),
      headers: Object.fromEntries(headers.map(([name, text]) => [String(name), String(text)])),
    })),
  }
}
