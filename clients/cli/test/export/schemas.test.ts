// What the schemas of events may contain, and how one table contains events of several schemas.
import { describe, expect, test } from '@jest/globals'
import { readEventSchema } from '../../src/export/avro.ts'
import { long, octets, one, record, rowOf, schemaOf, written } from '../support/stored-events.ts'
import type { Stored } from '../support/stored-events.ts'

const color = { type: 'enum', name: 'Color', symbols: ['constructor', '__proto__', 'RED'] }
const list = { type: 'array', items: 'int' }
const map = { type: 'map', values: 'int' }
const money = record('constructor', ['cents', 'long'])

describe('a schema', () => {
  const names = [
    'constructor',
    'prototype',
    'toString',
    'toJSON',
    'hasOwnProperty',
    '__defineGetter__',
    '_proto__',
    'this',
    'function',
    'unwrap',
    'v0',
    't0',
  ]

  test.each(['record', 'enum', 'fixed'])(
    'may name every %s as JavaScript names its own',
    async (type) => {
      const inner = {
        type,
        symbols: ['toString', 'valueOf'],
        size: 1,
        fields: [{ name: 'i', type: 'int' }],
      }
      const own = [...names, '__proto__', 'record', 'enum', 'map', 'union', 'a.int', 'a.string']
      const schema = schemaOf(
        record('__proto__.E', ...own.map((name, nth) => [`f${nth}`, { ...inner, name }] as const), [
          'again',
          { type: 'array', items: own },
        ]),
      )
      const datum = long(1)
      const stored: Stored = [
        schema,
        octets(...own.map(() => datum), own.length, ...own.flatMap((_, nth) => [nth, datum]), 0),
      ]
      const value = { record: { i: 1 }, enum: 'valueOf', fixed: '\u0002' }[type]
      expect(JSON.parse(await written('jsonl', [stored]))).toEqual({
        ...Object.fromEntries(own.map((_, nth) => [`f${nth}`, value])),
        again: own.map(() => value),
      })
    },
  )

  test('may name fields as JavaScript names its own', async () => {
    const inner = record('Inner', ...names.map((name) => [name, 'int'] as const))
    const fields = names.map((name) => [name, ['null', 'int']] as const)
    const stored: Stored = [
      schemaOf(record('E', ['inner', inner], ...fields)),
      octets(...names.map((_, nth) => nth), ...names.flatMap((_, nth) => [1, nth])),
    ]
    const values = names.map((name, nth) => `"${name}":${nth}`).join(',')
    const numbers = names.map((_, nth) => nth).join(',')
    expect(await written('jsonl', [stored])).toBe(`{"inner":{${values}},${values}}\n`)
    expect(await written('csv', [stored])).toContain(`\r\n${numbers},${numbers}\r\n`)
    const row = Object.fromEntries(names.map((name, nth) => [name, nth]))
    expect(rowOf(stored)).toEqual({ inner: row, ...row })
  })

  test('may have defaults, aliases, orders, texts and attributes of any kind', async () => {
    const schema = schemaOf({
      type: 'record',
      name: 'E',
      aliases: 'one two',
      doc: 7,
      default: { type: 'enum' },
      fields: [
        {
          name: 'a',
          type: 'long',
          default: Number.MAX_SAFE_INTEGER,
          order: null,
          aliases: 7,
          doc: {},
        },
        { name: 'b', type: ['int', 'null'], default: 1, order: 'ignore', aliases: [1, 'x y'] },
        { name: 'c', type: { ...money, aliases: {} }, default: { cents: 1 }, symbols: ['A'] },
        { name: 'd', type: { ...color, default: 'RED' }, default: '__proto__', logicalType: 7 },
        { name: 'e', type: { type: 'map', values: 'int', name: 3 }, default: { constructor: 1 } },
        { name: 'f', type: { type: 'int', logicalType: { a: 1 } } },
        { name: 'g', type: { ...list, name: 'E', namespace: 4 } },
      ],
    })
    const stored: Stored = [schema, octets(1, 1, 2, 0, 0, 3, 0)]
    expect(await written('jsonl', [stored])).toBe(
      '{"a":1,"b":null,"c":{"cents":2},"d":"constructor","e":{},"f":3,"g":[]}\n',
    )
  })

  test('finds its types by name as Avro does', async () => {
    const named = (name: string, field: string, more: object = {}): object => ({
      ...record(name, [field, 'int']),
      ...more,
    })
    const schema = schemaOf({
      type: 'record',
      name: 'a.b.E',
      namespace: 'ignored',
      fields: [
        { name: 'one', type: named('T', 'inB') },
        { name: 'two', type: named('T', 'inC', { namespace: 'c' }) },
        { name: 'three', type: named('T', 'inNone', { namespace: '' }) },
        { name: 'four', type: named('U', 'inB', { namespace: 5 }) },
        { name: 'again', type: 'T' },
        { name: 'far', type: 'c.T' },
        { name: 'near', type: { type: 'U', logicalType: 'date' } },
        {
          name: 'inside',
          type: {
            type: 'record',
            name: 'c.V',
            namespace: 'a.b',
            fields: [
              { name: 'c', type: 'T' },
              { name: 'b', type: 'a.b.T' },
              { name: 'own', type: ['null', 'V'] },
              { name: 'map', type: { type: 'map', values: 'T' } },
            ],
          },
        },
        { name: 'after', type: 'T' },
        {
          name: 'bare',
          type: { type: 'record', name: 'W', namespace: '', fields: [{ name: 'none', type: 'T' }] },
        },
      ],
    })
    const payload = octets(1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 'k', 10, 0, 11, 12)
    expect(JSON.parse(await written('jsonl', [[schema, payload]]))).toEqual({
      one: { inB: 1 },
      two: { inC: 2 },
      three: { inNone: 3 },
      four: { inB: 4 },
      again: { inB: 5 },
      far: { inC: 6 },
      near: { inB: 7 },
      inside: { c: { inC: 8 }, b: { inB: 9 }, own: null, map: { k: { inC: 10 } } },
      after: { inB: 11 },
      bare: { none: { inNone: 12 } },
    })
  })

  test.each(['"int"', '[]', 'no JSON', '{"type":"enum","name":"E","symbols":["A"]}', 'null', '{}'])(
    'of no event is refused: %s',
    (text) => {
      expect(readEventSchema(text)).toBeUndefined()
    },
  )
})

test("the envelope's timestamp is a time", async () => {
  const meta = record('Meta', ['timestamp', 'long'], ['consentLevels', list])
  for (const [type, before] of [
    [meta, []],
    [['null', meta], [1]],
  ] as const) {
    const schema = schemaOf(record('E', ['svcMeta', type], ['timestamp', 'long']))
    const stored: Stored = [schema, octets(...before, 1, 1, 2, 0, 5)]
    expect(await written('csv', [stored])).toBe(
      'svcMeta.timestamp,svcMeta.consentLevels,timestamp\r\n1970-01-01T00:00:00.001Z,[2],5\r\n',
    )
    expect(await written('jsonl', [stored])).toBe(
      '{"svcMeta":{"timestamp":1,"consentLevels":[2]},"timestamp":5}\n',
    )
  }
})

test('the events of two schemas are in one table', async () => {
  const first = schemaOf(
    record('E', ['constructor', 'int'], ['n', 'int'], ['gone', money], ['x', 'null']),
  )
  const second = schemaOf(
    record(
      'E',
      ['n', ['null', 'double', 'long']],
      ['x', map],
      ['j', ['null', 'int', 'string', 'bytes']],
      ['toString', 'int'],
    ),
  )
  const events: readonly Stored[] = [
    [first, octets(1, 2, 3)],
    [second, octets(2, 4, 1, '__proto__', 5, 0, 3, 1, one(0xff), 6)],
  ]
  expect(await written('csv', events)).toBe(
    'constructor,n,gone.cents,x,j,toString\r\n1,2,3,,,\r\n,4,,"{""__proto__"":5}","""ÿ""",6\r\n',
  )
  expect(await written('parquet', events)).toMatch(/^PAR1[^]*PAR1$/)
})
