// Writes events as CSV (RFC 4180). Each field has a column. The column of a nested field is named by its path
// (`customer.id`). Lists and maps are JSON. Null is an empty cell, an empty text is a quoted one.
import { valueAt } from '../json.ts'
import type { EventWriter, EventSink } from './event-writer.ts'
import { createTextBuffer } from './text-buffer.ts'
import type { RecordShape, Shape } from './shape.ts'

type Column = { readonly path: readonly string[]; readonly shape: Shape }

export function createCsvWriter(shape: RecordShape, sink: EventSink): EventWriter {
  const columns = columnsOf(shape, [])
  const text = createTextBuffer(sink)
  let isStarted = false
  const start = async (): Promise<void> => {
    if (isStarted) return
    isStarted = true
    await text.write(`${columns.map(({ path }) => path.join('.')).join(',')}\r\n`)
  }
  return {
    async write(row) {
      await start()
      const cells = columns.map(({ path, shape: own }) => cellOf(valueAt(row, ...path), own))
      await text.write(`${cells.join(',')}\r\n`)
    },
    async finish() {
      await start()
      await text.flush()
    },
  }
}

function columnsOf({ fields }: RecordShape, path: readonly string[]): Column[] {
  return fields.flatMap(({ name, shape }) => {
    const own = [...path, name]
    return shape.kind === 'record' ? columnsOf(shape, own) : [{ path: own, shape }]
  })
}

function cellOf(value: unknown, shape: Shape): string {
  if (value === null || value === undefined) return ''
  if (shape.kind === 'list' || shape.kind === 'map' || shape.kind === 'json')
    return quoted(JSON.stringify(plain(value, shape)))
  return quoted(String(plain(value, shape)))
}

const quoted = (text: string): string =>
  text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** Converts times to texts, and integers to numbers (they are within ±2^53). */
function plain(value: unknown, shape: Shape): unknown {
  if (value === null || value === undefined) return null
  switch (shape.kind) {
    case 'list':
      return Array.isArray(value) ? value.map((item) => plain(item, shape.items.shape)) : null
    case 'map':
      return Object.fromEntries(
        entriesOf(value).map(({ key, value: item }) => [key, plain(item, shape.values.shape)]),
      )
    case 'record':
      return Object.fromEntries(
        shape.fields.map((field) => [field.name, plain(valueAt(value, field.name), field.shape)]),
      )
    case 'bytes':
      return Buffer.isBuffer(value) ? value.toString('base64') : null
    case 'float':
    case 'double':
      return Number.isFinite(value) ? value : String(Number(value))
    case 'date':
    case 'time-millis':
    case 'time-micros':
    case 'timestamp-millis':
    case 'timestamp-micros':
    case 'local-timestamp-millis':
    case 'local-timestamp-micros':
      return timeText(Number(value), shape.kind)
    default:
      return typeof value === 'bigint' ? Number(value) : value
  }
}

const entriesOf = (value: unknown): readonly { key: string; value: unknown }[] =>
  Array.isArray(value) ? value : []

const dayMs = 86_400_000

function timeText(value: number, kind: string): string {
  const perMs = kind.endsWith('micros') ? 1_000 : 1
  const ms = kind === 'date' ? value * dayMs : Math.floor(value / perMs)
  // Outside the range of JavaScript's dates.
  if (Math.abs(ms) > 8.64e15) return String(value)
  const iso = new Date(ms).toISOString()
  const micros = perMs === 1 ? '' : String(value - ms * perMs).padStart(3, '0')
  const [day = '', time = ''] = iso.slice(0, -1).split('T')
  if (kind === 'date') return day
  if (kind.startsWith('time-')) return `${time}${micros}`
  return `${day}T${time}${micros}${kind.startsWith('local') ? '' : 'Z'}`
}
