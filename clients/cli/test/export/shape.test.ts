// The columns of an export. tools/docs tests that DuckDB reads these columns from Parquet.
import { describe, expect, test } from '@jest/globals'
import { readEventSchema } from '../../src/export/avro.ts'
import { elementsOf } from '../../src/export/parquet.ts'
import { mergeShapes, shapeOf } from '../../src/export/shape.ts'
import type { RecordShape } from '../../src/export/shape.ts'

function shape(...fields: readonly object[]): RecordShape {
  const schema = readEventSchema(JSON.stringify({ type: 'record', name: 'E', fields }))
  if (schema === undefined) throw new Error('no schema')
  return shapeOf(schema.root)
}

const field = (name: string, type: unknown): object => ({ name, type })
const columnsOf = (made: RecordShape): unknown[] =>
  made.fields.map(({ name, shape: own, isNullable }) => [name, own.kind, isNullable])

describe('a column', () => {
  test.each([
    ['long', 'long', false],
    [['null', 'long'], 'long', true],
    [['int', 'null', 'long'], 'long', true],
    [['int', 'double'], 'double', false],
    [['string', { type: 'enum', name: 'C', symbols: ['A'] }], 'string', false],
    [['null', 'string', 'boolean'], 'json', true],
    ['null', 'nothing', true],
    [{ type: 'record', name: 'Empty', fields: [] }, 'json', false],
    [{ type: 'long', logicalType: 'timestamp-millis' }, 'timestamp-millis', false],
    [{ type: 'long', logicalType: 'date' }, 'long', false],
    [{ type: 'int', logicalType: 'date' }, 'date', false],
    [{ type: 'string', logicalType: 'date' }, 'string', false],
  ])('of the type %j is %s, nullable: %s', (type, kind, isNullable) => {
    expect(columnsOf(shape(field('f', type)))).toEqual([['f', kind, isNullable]])
  })

  test('of a record within itself ends there', () => {
    const node = { type: 'record', name: 'Node', fields: [field('next', ['null', 'Node'])] }
    const [own] = shape(field('node', node)).fields
    expect(own?.shape).toEqual({
      kind: 'record',
      fields: [{ name: 'next', shape: { kind: 'json' }, isNullable: true }],
    })
  })

  test('too many of them are refused before they fill the memory', () => {
    const level = (depth: number): object => ({
      type: 'record',
      name: `L${depth}`,
      fields: [
        field('a', depth === 0 ? 'int' : level(depth - 1)),
        field('b', depth === 0 ? 'int' : `L${depth - 1}`),
      ],
    })
    expect(() => shape(field('tree', level(40)))).toThrow('more than 5000 columns')
  })
})

describe('the events of two schemas', () => {
  test('have the columns of both; what some lack may be null, and the wider number holds both', () => {
    const inner = (...fields: object[]): object => ({ type: 'record', name: 'Inner', fields })
    const one = shape(
      field('n', 'int'),
      field('gone', 'string'),
      field('in', inner(field('a', 'int'))),
    )
    const other = shape(
      field('n', 'long'),
      field('in', inner(field('b', 'float'))),
      field('new', 'int'),
    )
    const both = mergeShapes(one, other)
    expect(columnsOf(both)).toEqual([
      ['n', 'long', false],
      ['gone', 'string', true],
      ['in', 'record', false],
      ['new', 'int', true],
    ])
    const nested = both.fields[2]?.shape
    expect(nested?.kind === 'record' && columnsOf(nested)).toEqual([
      ['a', 'int', true],
      ['b', 'float', true],
    ])
  })

  test('that disagree are refused by the name of the field', () => {
    const list = { type: 'array', items: 'string' }
    expect(() => mergeShapes(shape(field('f', 'string')), shape(field('f', list)))).toThrow(
      'the field f is of the type string in some events and list in others',
    )
  })
})

test('lists and maps are laid out as Parquet wants them', () => {
  const names = elementsOf(
    shape(field('l', { type: 'array', items: 'int' }), field('m', { type: 'map', values: 'int' })),
  ).map(({ name, repetition_type: repetition }) => `${name} ${repetition ?? ''}`)
  expect(names).toEqual([
    'event ',
    'l REQUIRED',
    'list REPEATED',
    'element REQUIRED',
    'm REQUIRED',
    'key_value REPEATED',
    'key REQUIRED',
    'value REQUIRED',
  ])
})
