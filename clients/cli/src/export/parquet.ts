// Writes events as a Parquet file, with Parquet's types for nested records, lists and maps. Only one row group is in
// memory. shape.ts decides the columns.
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { SchemaElement } from 'hyparquet-writer'
import type { ColumnField, RecordShape, Scalar, ColumnSlot } from './shape.ts'
import type { EventWriter, EventSink } from './event-writer.ts'

const groupRowsMax = 20_000
const groupBytesMax = 16_777_216

export function createParquetWriter(shape: RecordShape, sink: EventSink): EventWriter {
  const buffer = new ByteWriter()
  const file = new ParquetWriter({ writer: buffer, schema: elementsOf(shape), createdBy: 'weir' })
  const names = shape.fields.map(({ name }) => name)
  let columns = names.map((): unknown[] => [])
  let rows = 0
  let bytes = 0

  async function flush(): Promise<void> {
    const written = Buffer.from(buffer.getBytes())
    buffer.index = 0
    await sink.write(written)
  }

  async function writeGroup(): Promise<void> {
    const columnData = names.map((name, at) => ({ name, data: columns[at] ?? [] }))
    await file.write({ columnData, rowGroupSize: rows })
    columns = names.map(() => [])
    rows = 0
    bytes = 0
    await flush()
  }

  return {
    async write(row, sizeBytes) {
      for (const [at, name] of names.entries()) columns[at]?.push(row[name])
      rows += 1
      bytes += sizeBytes
      if (rows >= groupRowsMax || bytes >= groupBytesMax) await writeGroup()
    },
    async finish() {
      if (rows > 0) await writeGroup()
      await file.finish()
      await flush()
    },
  }
}

/** Returns Parquet's schema: the tree as a list, with each group before its members. */
export function elementsOf({ fields }: RecordShape): SchemaElement[] {
  return [{ name: 'event', num_children: fields.length }, ...fields.flatMap(fieldElements)]
}

const fieldElements = (field: ColumnField): SchemaElement[] => slotElements(field.name, field)

function slotElements(name: string, { shape, isNullable }: ColumnSlot): SchemaElement[] {
  const element = { name, repetition_type: isNullable ? 'OPTIONAL' : 'REQUIRED' } as const
  const repeated = (inner: string, children: number): SchemaElement => ({
    name: inner,
    repetition_type: 'REPEATED',
    num_children: children,
  })
  switch (shape.kind) {
    case 'record':
      return [
        { ...element, num_children: shape.fields.length },
        ...shape.fields.flatMap(fieldElements),
      ]
    case 'list':
      return [
        { ...element, num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
        repeated('list', 1),
        ...slotElements('element', shape.items),
      ]
    case 'map':
      return [
        { ...element, num_children: 1, converted_type: 'MAP', logical_type: { type: 'MAP' } },
        repeated('key_value', 2),
        ...slotElements('key', { shape: { kind: 'string' }, isNullable: false }),
        ...slotElements('value', shape.values),
      ]
    default:
      return [{ ...element, ...scalars[shape.kind] }]
  }
}

const text = {
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  logical_type: { type: 'STRING' },
} as const

const timestamp = (unit: 'MILLIS' | 'MICROS', isAdjustedToUTC: boolean) =>
  ({ type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC, unit } }) as const

const scalars: Readonly<Record<Scalar, Omit<SchemaElement, 'name'>>> = {
  boolean: { type: 'BOOLEAN' },
  int: { type: 'INT32' },
  long: { type: 'INT64' },
  float: { type: 'FLOAT' },
  double: { type: 'DOUBLE' },
  string: text,
  nothing: text,
  bytes: { type: 'BYTE_ARRAY' },
  json: { type: 'BYTE_ARRAY', converted_type: 'JSON', logical_type: { type: 'JSON' } },
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  'time-millis': { type: 'INT32', converted_type: 'TIME_MILLIS' },
  'time-micros': { type: 'INT64', converted_type: 'TIME_MICROS' },
  'timestamp-millis': { ...timestamp('MILLIS', true), converted_type: 'TIMESTAMP_MILLIS' },
  'timestamp-micros': { ...timestamp('MICROS', true), converted_type: 'TIMESTAMP_MICROS' },
  'local-timestamp-millis': timestamp('MILLIS', false),
  'local-timestamp-micros': timestamp('MICROS', false),
}
