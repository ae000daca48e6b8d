// Writes events in the format of an export. Of outputs whose readers decrypt, each event has its keyLink beside its
// fields, because without it nobody can decrypt the file later.
import type { TopicRecord } from '@weir/client'
import { isFields, plainOf } from '@weir/contracts'
import type { EventSchema } from '@weir/contracts'
import { convertEvents } from './convert.ts'
import type { ConvertFields } from './convert.ts'
import { createCsvWriter } from './csv.ts'
import type { EventSink } from './event-writer.ts'
import { createParquetWriter } from './parquet.ts'
import type { RecordShape } from './shape.ts'
import { createTextBuffer } from './text-buffer.ts'

export type Format = 'parquet' | 'jsonl' | 'csv'

export type StoredEvent = {
  readonly record: TopicRecord
  readonly schema: EventSchema
  readonly event: ConvertFields
}

export type FormatWriter = {
  add(event: StoredEvent): Promise<void>
  finish(): Promise<void>
}

const keyLinkColumn = 'svc_key_link'

/** The key of a record is its keyLink. */
const withKeyLink = (fields: unknown, { key }: TopicRecord): ConvertFields => ({
  ...(isFields(fields) ? fields : {}),
  [keyLinkColumn]: key?.toString('utf8') ?? null,
})

export function createRows(
  format: 'parquet' | 'csv',
  { shape, hasKeyLink }: { readonly shape: RecordShape; readonly hasKeyLink: boolean },
  sink: EventSink,
): FormatWriter {
  const rowOf = remembered((schema) => convertEvents(schema.root, shape))
  const create = format === 'csv' ? createCsvWriter : createParquetWriter
  const writer = create(hasKeyLink ? keyLinkAdded(shape) : shape, sink)
  return {
    add: ({ record, schema, event }) => {
      const row = rowOf(schema)(event)
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
  const plainIn = remembered((schema) => plainOf(schema.root))
  return {
    add: ({ record, schema, event }) => {
      const plain = plainIn(schema)(event)
      return text.write(`${JSON.stringify(hasKeyLink ? withKeyLink(plain, record) : plain)}\n`)
    },
    finish: text.flush,
  }
}

function remembered<T>(make: (schema: EventSchema) => T): (schema: EventSchema) => T {
  const made = new Map<EventSchema, T>()
  return (schema) => {
    const known = made.get(schema) ?? make(schema)
    made.set(schema, known)
    return known
  }
}
