import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'

import { limitProblems } from '../../src/avro/limits.ts'
import { parseSchema } from '../../src/avro/schema.ts'
import { branchName } from '../../src/avro/types.ts'
import type { AvroType } from '../../src/avro/types.ts'

const problemsOf = (schema: unknown): readonly string[] => {
  const result = parseSchema(JSON.stringify(schema))
  return 'problems' in result ? result.problems : []
}
function typeOf(schema: unknown): AvroType {
  const result = parseSchema(JSON.stringify(schema))
  if ('problems' in result) throw new Error(result.problems.join())
  return result.type
}
const record = (...fields: unknown[]) => ({ type: 'record', name: 'R', fields })
const field = (type: unknown, more: object = {}) => ({ name: 'f', type, ...more })

describe('names', () => {
  test('a name is completed by its own namespace, the enclosing one, or its dots', () => {
    const named = (name: string, more: object = {}) => ({ type: 'fixed', name, size: 1, ...more })
    const type = typeOf({
      ...record(
        field(named('A'), { name: 'a' }),
        field(named('B', { namespace: 'other' }), { name: 'b' }),
        field(named('x.y.C', { namespace: 'ignored' }), { name: 'c' }),
        field(named('D', { namespace: '' }), { name: 'd' }),
        field(['A', 'other.B', 'x.y.C'], { name: 'refs' }),
      ),
      namespace: 'space',
    })
    if (type.kind !== 'record') throw new Error('no record')
    expect(type.name).toBe('space.R')
    expect(type.fields.slice(0, 4).map((part) => branchName(part.type))).toEqual([
      'space.A',
      'other.B',
      'x.y.C',
      'D',
    ])
    const refs = type.fields[4]?.type
    expect(refs?.kind === 'union' && refs.branches.map(branchName)).toEqual([
      'space.A',
      'other.B',
      'x.y.C',
    ])
  })

  test('names that JavaScript has a meaning for are names like others', () => {
    const names = ['constructor', 'toString', 'hasOwnProperty', 'prototype', 'valueOf']
    const fields = names.map((name) => ({ name, type: { type: 'fixed', name, size: 1 } }))
    expect(problemsOf({ type: 'record', name: 'Object', fields })).toEqual([])
    expect(problemsOf('constructor')).toEqual(['names a type that is not defined: "constructor"'])
  })
})

test('a logical type changes no type; it is named beside', () => {
  expect(typeOf({ type: 'long', logicalType: 'date' })).toEqual({ kind: 'long', logical: 'date' })
  expect(typeOf({ type: 'bytes', logicalType: 'decimal', precision: 4 })).toEqual({
    kind: 'bytes',
    logical: 'decimal',
  })
  expect(typeOf({ type: 'int', logicalType: 7 })).toEqual({ kind: 'int' })
})

describe('what is wrong with a schema is said by field', () => {
  test.each([
    [null, 'is not an Avro type'],
    [5, 'is not an Avro type'],
    [{}, 'has no type'],
    [{ type: { type: 'string' } }, 'has no type'],
    ['text', 'names a type that is not defined: "text"'],
    [[], 'has an empty union'],
    [['null', ['int']], 'has a union right inside a union'],
    [['int', { type: 'int' }], 'has a union with int twice'],
    [
      [
        { type: 'array', items: 'int' },
        { type: 'array', items: 'string' },
      ],
      'has a union with array twice',
    ],
    [{ type: 'record', name: 'R' }, 'has a record without a list of fields'],
    [{ type: 'record', fields: [] }, 'has a record without a valid name'],
    [{ type: 'record', name: 'a..b', fields: [] }, 'has a record without a valid name'],
    [{ type: 'record', name: 'a', namespace: 'b-c', fields: [] }, 'has an invalid namespace'],
    [
      { type: 'fixed', name: 'string', size: 1 },
      'gives the name of a primitive type, string, to another type',
    ],
    [record({ name: '1', type: 'int' }), 'has a field without a valid name'],
    [record('a'), 'has a field without a valid name'],
    [record(field('int'), field('int')), 'has the field f twice'],
    [
      record(field('int', { order: 'up' })),
      'f: has an order other than ascending, descending or ignore',
    ],
    [record(field(record())), 'f: defines R twice'],
    [record({ name: '__proto__', type: 'int' }), '__proto__: is a name that is not possible here'],
    [{ type: 'enum', name: 'E', symbols: [] }, 'has an enum without a list of valid symbols'],
    [{ type: 'enum', name: 'E', symbols: ['a-b'] }, 'has an enum without a list of valid symbols'],
    [{ type: 'enum', name: 'E', symbols: ['A', 'A'] }, 'has an enum with a symbol twice'],
    [
      { type: 'enum', name: 'E', symbols: ['A'], default: 'B' },
      'has an enum whose default is none of its symbols',
    ],
    [{ type: 'fixed', name: 'F', size: -1 }, 'has a fixed without a size of 0 to 1048576'],
    [{ type: 'fixed', name: 'F', size: '1' }, 'has a fixed without a size of 0 to 1048576'],
  ])('%j', (schema, problem) => expect(problemsOf(schema)).toEqual([problem]))

  test('what would cost more than a schema may is refused: long names, wide unions', () => {
    const fixed = (name: string) => ({ type: 'fixed', name, size: 1 })
    const branches = Array.from({ length: 101 }, (_, index) => fixed(`F${index}`))
    expect(problemsOf(branches.slice(1))).toEqual([])
    expect(problemsOf(branches)).toEqual(['has a union of more than 100 types'])
    expect(problemsOf(fixed('a'.repeat(256)))).toEqual([])
    expect(problemsOf(fixed('a'.repeat(257)))).toEqual(['has a fixed without a valid name'])
    expect(problemsOf({ ...fixed('a'.repeat(200)), namespace: 'b'.repeat(56) })).toEqual([
      'has a name that is longer than 256 characters',
    ])
    expect(problemsOf(record(field('int', { name: 'f'.repeat(257) })))).toEqual([
      'has a field without a valid name',
    ])
  })

  test('of more than 100 problems the first 100 are said', () => {
    expect(problemsOf(record(...Array.from({ length: 300 }, () => 1)))).toHaveLength(100)
  })

  test('several at once, each at its field', () => {
    const inner = { type: 'record', name: 'I', fields: [{ name: 'g', type: 'x' }] }
    expect(problemsOf(record({ name: 'a', type: 'y' }, { name: 'b', type: inner }))).toEqual([
      'a: names a type that is not defined: "y"',
      'b/g: names a type that is not defined: "x"',
    ])
  })
})

describe('defaults', () => {
  test.each([
    ['int', 1.5, 'is not an int'],
    ['string', null, 'is not a string of well-formed Unicode'],
    ['long', 2 ** 53, 'is not a long within ±(2^53 - 1)'],
    [['null', 'string'], 'text', 'is not null'],
    [{ type: 'array', items: 'int' }, [1, 'a'], 'is not an int'],
    [{ type: 'array', items: 'int' }, {}, 'is not a list'],
    [{ type: 'map', values: 'int' }, [], 'is not an object'],
    [{ type: 'record', name: 'I', fields: [field('int')] }, {}, 'lacks the field f'],
    [{ type: 'record', name: 'I', fields: [] }, { a: 1 }, 'has a field that its record lacks'],
    [
      { type: 'array', items: 'int' },
      Array.from({ length: 1_000 }, () => 1),
      'contains more than 1000 values',
    ],
  ])('of %j may not be %j', (type, value, problem) => {
    expect(problemsOf(record(field(type, { default: value })))).toEqual([
      `f: has a default that ${problem}`,
    ])
  })

  test('that come to too much together are refused', () => {
    const text = {
      type: 'record',
      name: 'T',
      fields: [field('string', { default: 'x'.repeat(1_000) })],
    }
    const fields = (count: number) => [
      { name: 't', type: text },
      ...Array.from({ length: count }, (_, index) => ({
        name: `f${index}`,
        type: 'T',
        default: {},
      })),
    ]
    expect(problemsOf(record(...fields(255)))).toEqual([])
    expect(problemsOf(record(...fields(1_000)))).toEqual([
      'f256: comes to more than 262144 octets with all defaults before it',
    ])
  })

  test('that bring themselves back, once or twice, are refused', () => {
    const self = { default: {} }
    const once = { type: 'record', name: 'N', fields: [{ name: 'l', type: 'N', ...self }] }
    const twice = { ...once, fields: [...once.fields, { name: 'r', type: 'N', ...self }] }
    expect(problemsOf(once)).toEqual(['l: has a default that is nested deeper than 64'])
    expect(problemsOf(twice)).toHaveLength(2)
  })

  test('that fit are fine', () => {
    const inner = { type: 'record', name: 'I', fields: [field('int', { default: 3 })] }
    for (const [type, value] of [
      [['string', 'null'], 'text'],
      ['bytes', '\u00ff'],
      [inner, {}],
      [{ type: 'map', values: 'int' }, { a: 1 }],
      [{ type: 'enum', name: 'E', symbols: ['A'] }, 'A'],
    ]) {
      expect(problemsOf(record(field(type, { default: value })))).toEqual([])
    }
  })
})

test('no schema text makes it throw, hang or recurse without end', () => {
  const words = [
    'record',
    'array',
    'map',
    'enum',
    'fixed',
    'int',
    'null',
    'string',
    'R',
    'toString',
  ]
  const { schema } = fc.letrec((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(...words),
      fc.array(tie('schema'), { maxLength: 3 }),
      fc.record(
        {
          type: fc.oneof(fc.constantFrom(...words), tie('schema')),
          name: fc.constantFrom('R', 'S', 'x.T', 'constructor', '__proto__', ''),
          namespace: fc.constantFrom('', 'n', 'n.m', 'R'),
          items: tie('schema'),
          values: tie('schema'),
          symbols: fc.array(fc.constantFrom('A', 'B', 'toString')),
          size: fc.integer({ min: -1, max: 3 }),
          fields: fc.array(
            fc.record({
              name: fc.constantFrom('a', 'b', 'constructor', '__proto__'),
              type: tie('schema'),
              default: fc.oneof(fc.jsonValue(), fc.constant({})),
            }),
            { maxLength: 3 },
          ),
        },
        { requiredKeys: [] },
      ),
      fc.jsonValue(),
    ),
  }))
  fc.assert(
    fc.property(schema, (json) => {
      const result = parseSchema(JSON.stringify(json))
      const problems = 'type' in result ? limitProblems(result.type) : result.problems
      expect(problems.every((problem) => problem.length > 0)).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

test('a long chain of records that name each other is followed without recursion', () => {
  const chain = Array.from({ length: 2_500 }, (_, index) => ({
    name: `f${index}`,
    type: {
      type: 'record',
      name: `R${index}`,
      fields: index === 0 ? [] : [{ name: 'a', type: ['null', `R${index - 1}`] }],
    },
  }))
  expect(limitProblems(typeOf({ type: 'record', name: 'Root', fields: chain }))).toEqual([])
})
