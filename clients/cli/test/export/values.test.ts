// How an export writes each kind of value, in all three formats.
import { describe, expect, test } from '@jest/globals'
import {
  double,
  float,
  isEvent,
  long,
  octets,
  one,
  record,
  rowOf,
  schemaOf,
  written,
} from '../support/stored-events.ts'
import type { Stored } from '../support/stored-events.ts'

const int = (logicalType: string): object => ({ type: 'int', logicalType })
const longs = (logicalType: string): object => ({ type: 'long', logicalType })
const color = { type: 'enum', name: 'Color', symbols: ['constructor', '__proto__', 'RED'] }
const node = record('Node', ['n', 'int'], ['next', ['null', 'Node']])
const map = { type: 'map', values: 'int' }
const list = { type: 'array', items: 'int' }
const money = record('constructor', ['cents', 'long'])
const fixed = { type: 'fixed', name: '__proto__', size: 2 }
const many = ['null', 'int', 'double', 'bytes', 'boolean', color, fixed, money, map, list]
const most = Number.MAX_SAFE_INTEGER

type Row = readonly [
  type: unknown,
  datum: Buffer,
  values: { readonly json: string; readonly csv: string; readonly parquet: unknown },
]

const rows: readonly Row[] = [
  ['boolean', one(1), { json: 'true', csv: 'true', parquet: true }],
  ['null', octets(), { json: 'null', csv: '', parquet: null }],
  ['int', long(-2_147_483_648), same(-2_147_483_648)],
  ['long', long(most), { json: String(most), csv: String(most), parquet: BigInt(most) }],
  ['long', long(-most), { json: String(-most), csv: String(-most), parquet: BigInt(-most) }],
  ['float', float(0.5), same(0.5)],
  ['float', float(-Infinity), { json: '"-Infinity"', csv: '-Infinity', parquet: -Infinity }],
  ['double', double(Number.NaN), { json: '"NaN"', csv: 'NaN', parquet: Number.NaN }],
  ['double', double(-0), { json: '0', csv: '0', parquet: -0 }],
  ['string', octets(''), { json: '""', csv: '""', parquet: '' }],
  [
    'string',
    octets('a,"b"\n💧'),
    { json: '"a,\\"b\\"\\n💧"', csv: '"a,""b""\n💧"', parquet: 'a,"b"\n💧' },
  ],
  [
    'bytes',
    octets(2, one(0x00), one(0xff)),
    { json: '"\\u0000ÿ"', csv: 'AP8=', parquet: Buffer.of(0, 255) },
  ],
  [
    fixed,
    octets(one(0xc3), one(0xa4)),
    { json: '"Ã¤"', csv: 'w6Q=', parquet: Buffer.of(0xc3, 0xa4) },
  ],
  [
    { type: 'fixed', name: 'None', size: 0 },
    octets(),
    { json: '""', csv: '""', parquet: Buffer.of() },
  ],
  [color, long(0), { json: '"constructor"', csv: 'constructor', parquet: 'constructor' }],
  [color, long(1), { json: '"__proto__"', csv: '__proto__', parquet: '__proto__' }],
  // logical types
  [int('date'), long(-1), { json: '-1', csv: '1969-12-31', parquet: -1 }],
  [int('time-millis'), long(1), { json: '1', csv: '00:00:00.001', parquet: 1 }],
  [longs('time-micros'), long(1), { json: '1', csv: '00:00:00.000001', parquet: 1n }],
  [longs('timestamp-millis'), long(1), { json: '1', csv: '1970-01-01T00:00:00.001Z', parquet: 1n }],
  [
    longs('timestamp-micros'),
    long(-1),
    { json: '-1', csv: '1969-12-31T23:59:59.999999Z', parquet: -1n },
  ],
  [
    longs('local-timestamp-millis'),
    long(most),
    { json: String(most), csv: String(most), parquet: BigInt(most) },
  ],
  [
    longs('local-timestamp-micros'),
    long(0),
    { json: '0', csv: '1970-01-01T00:00:00.000000', parquet: 0n },
  ],
  [longs('date'), long(3), { json: '3', csv: '3', parquet: 3n }],
  [
    ['null', longs('timestamp-millis')],
    octets(1, 1),
    { json: '1', csv: '1970-01-01T00:00:00.001Z', parquet: 1n },
  ],
  [{ type: 'string', logicalType: 'uuid' }, octets('u'), { json: '"u"', csv: 'u', parquet: 'u' }],
  [
    { type: 'bytes', logicalType: 'decimal', precision: 4, scale: 2 },
    octets(1, one(7)),
    { json: '"\\u0007"', csv: 'Bw==', parquet: Buffer.of(7) },
  ],
  [{ ...list, logicalType: 'set' }, octets(1, 7, 0), { json: '[7]', csv: '[7]', parquet: [7] }],
  [
    { ...money, logicalType: 'date' },
    long(7),
    { json: '{"cents":7}', csv: '7', parquet: { cents: 7n } },
  ],
  // unions
  [['null', 'string'], long(0), { json: 'null', csv: '', parquet: null }],
  [['string', 'null'], octets(0, 'a'), { json: '"a"', csv: 'a', parquet: 'a' }],
  [['null'], long(0), { json: 'null', csv: '', parquet: null }],
  [[money], octets(0, 7), { json: '{"cents":7}', csv: '"{""cents"":7}"', parquet: { cents: 7 } }],
  [['null', money], octets(0), { json: 'null', csv: '', parquet: null }],
  [[map], octets(0, 1, 'k', 7, 0), { json: '{"k":7}', csv: '"{""k"":7}"', parquet: { k: 7 } }],
  [['int', 'long'], octets(0, 7), { json: '7', csv: '7', parquet: 7n }],
  [['int', 'double'], octets(0, 7), same(7)],
  [
    ['null', 'float', 'double'],
    octets(2, double(Infinity)),
    { json: '"Infinity"', csv: 'Infinity', parquet: Infinity },
  ],
  [
    ['null', 'bytes', fixed],
    octets(1, 1, one(0xff)),
    { json: '"ÿ"', csv: '/w==', parquet: Buffer.of(255) },
  ],
  [['string', color], octets(1, 2), { json: '"RED"', csv: 'RED', parquet: 'RED' }],
  [many, octets(0), { json: 'null', csv: '', parquet: null }],
  [many, octets(1, 7), same(7)],
  [many, octets(2, double(Number.NaN)), { json: '"NaN"', csv: '"""NaN"""', parquet: 'NaN' }],
  [many, octets(3, 1, one(0xff)), { json: '"ÿ"', csv: '"""ÿ"""', parquet: 'ÿ' }],
  [many, octets(4, one(0)), same(false)],
  [many, octets(5, 0), { json: '"constructor"', csv: '"""constructor"""', parquet: 'constructor' }],
  [many, octets(6, one(0x61), one(0x62)), { json: '"ab"', csv: '"""ab"""', parquet: 'ab' }],
  [many, octets(7, -7), { json: '{"cents":-7}', csv: '"{""cents"":-7}"', parquet: { cents: -7 } }],
  [
    many,
    octets(8, 1, '__proto__', 7, 0),
    { json: '{"__proto__":7}', csv: '"{""__proto__"":7}"', parquet: own('__proto__', 7) },
  ],
  [many, octets(9, 2, 7, 8, 0), { json: '[7,8]', csv: '"[7,8]"', parquet: [7, 8] }],
  [
    { type: 'array', items: ['null', 'long', 'string'] },
    octets(3, 0, 1, 7, 2, 'a', 0),
    { json: '[null,7,"a"]', csv: '"[null,7,""a""]"', parquet: [null, 7, 'a'] },
  ],
  // lists, maps and records
  [list, octets(0), { json: '[]', csv: '[]', parquet: [] }],
  [list, octets(1, 7, -2, 2, 8, 9, 0), { json: '[7,8,9]', csv: '"[7,8,9]"', parquet: [7, 8, 9] }],
  [
    { type: 'array', items: longs('timestamp-millis') },
    octets(1, 0, 0),
    { json: '[0]', csv: '"[""1970-01-01T00:00:00.000Z""]"', parquet: [0n] },
  ],
  [
    { type: 'array', items: record('Part', ['b', 'bytes'], ['t', int('date')]) },
    octets(1, 1, one(0xff), 1, 0),
    {
      json: '[{"b":"ÿ","t":1}]',
      csv: '"[{""b"":""/w=="",""t"":""1970-01-02""}]"',
      parquet: [{ b: Buffer.of(255), t: 1 }],
    },
  ],
  [map, octets(0), { json: '{}', csv: '{}', parquet: [] }],
  [
    map,
    octets(3, 'b', 1, '__proto__', 2, 'constructor', 3, 0),
    {
      json: '{"b":1,"__proto__":2,"constructor":3}',
      csv: '"{""b"":1,""__proto__"":2,""constructor"":3}"',
      parquet: entries(['b', 1], ['__proto__', 2], ['constructor', 3]),
    },
  ],
  [
    { type: 'map', values: map },
    octets(1, '__proto__', 1, 'branch', 7, 0, 0),
    {
      json: '{"__proto__":{"branch":7}}',
      csv: '"{""__proto__"":{""branch"":7}}"',
      parquet: entries(['__proto__', entries(['branch', 7])]),
    },
  ],
  [
    { type: 'map', values: ['null', 'bytes'] },
    octets(2, 'a', 0, 'b', 1, 1, one(0xff), 0),
    {
      json: '{"a":null,"b":"ÿ"}',
      csv: '"{""a"":null,""b"":""/w==""}"',
      parquet: entries(['a', null], ['b', Buffer.of(255)]),
    },
  ],
  [record('Empty'), octets(), { json: '{}', csv: '{}', parquet: {} }],
  [{ ...money, type: 'error' }, long(7), { json: '{"cents":7}', csv: '7', parquet: { cents: 7n } }],
  [
    node,
    octets(1, 1, 2, 0),
    {
      json: '{"n":1,"next":{"n":2,"next":null}}',
      csv: '1,"{""n"":2,""next"":null}"',
      parquet: { n: 1, next: { n: 2, next: null } },
    },
  ],
  [
    record('Keys', ['branch', 'int'], ['value', 'int']),
    octets(1, 2),
    { json: '{"branch":1,"value":2}', csv: '1,2', parquet: { branch: 1, value: 2 } },
  ],
]

function same(value: number | boolean) {
  return { json: String(value), csv: String(value), parquet: value }
}
function own(key: string, value: unknown): object {
  return Object.fromEntries([[key, value]])
}
function entries(...pairs: readonly (readonly [string, unknown])[]): readonly object[] {
  return pairs.map(([key, value]) => ({ key, value }))
}

describe('a value', () => {
  test.each(rows)(
    'of the type %j in %j is written as %j',
    async (type, datum, { json, csv, parquet }) => {
      const stored: Stored = [
        schemaOf(record('E', ['f', type], ['end', 'string'])),
        octets(datum, '!'),
      ]
      expect(await written('jsonl', [stored])).toBe(`{"f":${json},"end":"!"}\n`)
      expect((await written('csv', [stored])).replace(/^.*\r\n/, '')).toBe(`${csv},!\r\n`)
      expect(rowOf(stored)).toEqual({ f: parquet, end: '!' })
      expect(await written('parquet', [stored])).toMatch(/^PAR1[^]*PAR1$/)
    },
  )

  test.each(rows)('of the type %j in %j is not read from fewer or more octets', (type, datum) => {
    const schema = schemaOf(record('E', ['f', type], ['end', 'string']))
    const payload = octets(datum, '!')
    for (let length = 0; length < payload.length; length += 1)
      expect(isEvent(schema, payload.subarray(0, length))).toBe(false)
    expect(isEvent(schema, payload)).toBe(true)
    expect(isEvent(schema, octets(payload, one(0)))).toBe(false)
  })

  test.each([
    ['long', long(most + 1)],
    [list, long(2_000_000_000)],
    [map, long(2_000_000_000)],
    ['long', long(-most - 1)],
    [color, long(3)],
    [color, long(-1)],
    [many, long(10)],
    [many, long(-1)],
  ])('of the type %j in %j is none', (type, datum) => {
    expect(isEvent(schemaOf(record('E', ['f', type])), datum)).toBe(false)
  })
})
