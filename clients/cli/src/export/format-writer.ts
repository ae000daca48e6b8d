// Writes events in the format of an export. If an output's readers decrypt, each event also gets its keyLink, because
// nobody can decrypt the file later without it.
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

/** A field of the same name is replaced, as in JSON. */
const keyLinkAdded = ({ kind, fields }: RecordShape): RecordShape => ({
  kind,
  fields: [
    ...fields.filter(({ name }) => name !== keyLinkColumn),
    { name: keyLinkColumn, shape: { kind: 'string' }, isNullable: true },
  ],
})

/** As `weir listen` prints them. */
export function createJsonLines(hasKeyLink: boolean, sink: EventSink): FormatWriter {
  const text = createTextBuffer(sink)
  return {
    add: ({ record, event }) =>
      text.write(`${JSON.stringify(plainJson(hasKeyLink ? withKeyLink(event, record) : event))}\n`),
    finish: text.flush,
  }
}
