// Writes events in the format of an export. Events of an output with `decryptAt: reader` also get their keyLink,
// without which nobody can decrypt the file later.
import type { TopicRecord } from '@weir/client'
import type { JsonObject } from '../json.ts'
import { convertEvents, plainJson } from './convert.ts'
import { createCsvWriter } from './csv.ts'
import type { EventSink } from './event-writer.ts'
import { createParquetWriter } from './parquet.ts'
import type { RecordShape } from './shape.ts'
import { createTextBuffer } from './text-buffer.ts'

export type Format = 'parquet' | 'jsonl' | 'csv'

export type StoredEvent = { readonly record: TopicRecord; readonly event: JsonObject }

export type FormatWriter = {
  add(event: StoredEvent): Promise<void>
  finish(): Promise<void>
}

const keyLinkColumn = 'svc_key_link'

/** The key of a record is its keyLink. */
const withKeyLink = (fields: JsonObject, { key }: TopicRecord): JsonObject => ({
  ...fields,
  [keyLinkColumn]: key?.toString('utf8') ?? null,
})

export function createRows(
  format: 'parquet' | 'csv',
  { shape, hasKeyLink }: { readonly shape: RecordShape; readonly hasKeyLink: boolean },
  sink: EventSink,
): FormatWriter {
  const rowOf = convertEvents(shape)
  const create = format === 'csv' ? createCsvWriter : createParquetWriter
  const writer = create(hasKeyLink ? keyLinkAdded(shape) : shape, sink)
  return {
    add: ({ record, event }) => {
      const row = rowOf(event)
      return writer.write(hasKeyLink ? withKeyLink(row, record) : row, record.value?.length ?? 0)
    },
    finish: writer.finish,
  }
}

/** Adds the column for the keyLink. Leaves out a field of the same name. */
const keyLinkAdded = ({ kind, fields }: RecordShape): RecordShape => ({
  kind,
  fields: [
    ...fields.filter(({ name }) => name !== keyLinkColumn),
    { name: keyLinkColumn, shape: { kind: 'string' }, isNullable: true },
  ],
})

/** Writes events as `weir listen` prints them. */
export function createJsonLines(hasKeyLink: boolean, sink: EventSink): FormatWriter {
  const text = createTextBuffer(sink)
  return {
    add: ({ record, event }) =>
      text.write(`${JSON.stringify(plainJson(hasKeyLink ? withKeyLink(event, record) : event))}\n`),
    finish: text.flush,
  }
}
