// Converts an event into the values of its columns: a `long` into a bigint, a map into a list of entries, and a value
// without a column type into plain JSON. Compiled once per export. Pure.
import { isObject, valueAt } from '../json.ts'
import type { JsonObject } from '../json.ts'
import type { RecordShape, Shape } from './shape.ts'

type Convert = (value: unknown) => unknown

export const convertEvents = (shape: RecordShape): ((event: JsonObject) => JsonObject) =>
  convertRecord(shape)

function convertTo(shape: Shape): Convert {
  const convert = convertOther(shape)
  return (value) => (value === null || value === undefined ? null : convert(value))
}

function convertOther(shape: Shape): Convert {
  switch (shape.kind) {
    case 'json':
      return plainJson
    case 'record':
      return convertRecord(shape)
    case 'list':
      return convertList(shape.items.shape)
    case 'map':
      return convertMap(shape.values.shape)
    default:
      return bigKinds.has(shape.kind) ? toBig : same
  }
}

const bigKinds: ReadonlySet<string> = new Set([
  'long',
  'time-micros',
  'timestamp-millis',
  'timestamp-micros',
  'local-timestamp-millis',
  'local-timestamp-micros',
])

const same: Convert = (value) => value
const toBig: Convert = (value) => (typeof value === 'number' ? BigInt(value) : null)

/**
 * Converts a value to the JSON that the WebSocket sends, with bytes as in Avro JSON. Numbers such as NaN become texts.
 */
export function plainJson(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (Buffer.isBuffer(value)) return value.toString('latin1')
  if (Array.isArray(value)) return value.map(plainJson)
  if (!isObject(value)) return value
  // Without a prototype, because hyparquet-writer copies other objects, and loses the key `__proto__`.
  const plain: Record<string, unknown> = Object.create(null)
  for (const [name, item] of Object.entries(value)) plain[name] = plainJson(item)
  return plain
}

/** A field becomes null if the schema of an event lacks it. */
function convertRecord({ fields }: RecordShape): (value: unknown) => JsonObject {
  const columns = fields.map(({ name, shape }) => ({ name, convert: convertTo(shape) }))
  return (value) =>
    Object.fromEntries(columns.map(({ name, convert }) => [name, convert(valueAt(value, name))]))
}

function convertList(items: Shape): Convert {
  const convert = convertTo(items)
  return (value) => (Array.isArray(value) ? value.map(convert) : [])
}

function convertMap(values: Shape): Convert {
  const convert = convertTo(values)
  return (value) =>
    Object.entries(isObject(value) ? value : {}).map(([key, item]) => ({
      key,
      value: convert(item),
    }))
}
