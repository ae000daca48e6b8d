// A contract as TypeScript.
import { expect, test } from '@jest/globals'
import {
  constantName,
  createNames,
  stringLiteral,
  typeName,
} from '../../src/contract-types/names.ts'
import { typesOf } from '../../src/contract-types/typescript.ts'

const contractOf = (definition: unknown, id = 'shop/click') => ({ id, schema: { definition } })
const record = (fields: readonly object[], more: object = {}) => ({
  type: 'record',
  name: 'Click',
  namespace: 'shop',
  fields,
  ...more,
})
const declarations = (definition: unknown): string => {
  const text = typesOf(contractOf(definition))
  return text.slice(text.indexOf('export'), text.indexOf('export const')).trim()
}
const typeOfField = (type: unknown): string | undefined =>
  /readonly value: (.*)/.exec(declarations(record([{ name: 'value', type }])))?.[1]

test.each([
  ['null', 'null'],
  ['boolean', 'boolean'],
  ['int', 'number'],
  ['long', 'number'],
  ['float', 'number'],
  [{ type: 'double' }, 'number'],
  ['bytes', 'Buffer'],
  ['string', 'string'],
  [{ type: 'long', logicalType: 'timestamp-millis' }, 'number'],
  [{ type: 'bytes', logicalType: 'decimal', precision: 4, scale: 2 }, 'Buffer'],
  [{ type: 'fixed', name: 'Hash', size: 16 }, 'Buffer'],
  [{ type: 'enum', name: 'Colour', symbols: ['RED', 'GREEN'] }, "'RED' | 'GREEN'"],
  [{ type: 'array', items: 'int' }, 'readonly number[]'],
  [{ type: 'array', items: ['null', 'int'] }, 'readonly (null | number)[]'],
  [{ type: 'array', items: { type: 'array', items: 'int' } }, 'readonly (readonly number[])[]'],
  [{ type: 'map', values: 'string' }, 'Readonly<Record<string, string>>'],
  [['null', 'string'], 'null | string'],
  [['null', { type: 'enum', name: 'E', symbols: ['A'] }, 'int'], "null | 'A' | number"],
  [['int', 'double'], '{ readonly int: number } | { readonly double: number }'],
  [
    ['null', 'string', { type: 'enum', name: 'E', symbols: ['A'] }],
    "null | { readonly string: string } | { readonly 'shop.E': 'A' }",
  ],
  [
    ['bytes', { type: 'fixed', name: 'other.F', size: 2 }],
    "{ readonly bytes: Buffer } | { readonly 'other.F': Buffer }",
  ],
  ['nothing.known', 'unknown'],
  [7, 'unknown'],
])('a field of the type %j is %s', (type, text) => {
  expect(typeOfField(type)).toBe(text)
})

test('records have names of their own, whichever namespace they are from, and may hold themselves', () => {
  const inner = (namespace: string) => ({
    type: 'record',
    name: 'click_target',
    namespace,
    fields: [{ name: 'next', type: ['null', 'click_target'] }],
  })
  expect(
    declarations(
      record([
        { name: 'a', type: inner('one') },
        { name: 'b', type: inner('two') },
        { name: 'c', type: 'two.click_target' },
      ]),
    ),
  ).toBe(
    [
      'export type Click = {\n  readonly a: ClickTarget\n  readonly b: ClickTarget2\n  readonly c: ClickTarget2\n}',
      'export type ClickTarget = {\n  readonly next: null | ClickTarget\n}',
      'export type ClickTarget2 = {\n  readonly next: null | ClickTarget2\n}',
    ].join('\n\n'),
  )
})

test('what has a default, and what ingest fills in, may be left out; the rest of the envelope may not', () => {
  const envelope = {
    type: 'record',
    name: 'Envelope',
    fields: [
      { name: 'schemaId', type: 'string' },
      { name: 'timestamp', type: { type: 'long', logicalType: 'date' } },
      { name: 'consentLevels', type: { type: 'array', items: 'int' } },
      { name: 'inner', type: record([{ name: 'nonce', type: 'int' }], { name: 'Inner' }) },
    ],
  }
  const text = declarations(
    record([
      { name: 'svcMeta', type: ['null', envelope] },
      { name: 'schemaId', type: 'string', default: '' },
      { name: 'nonce', type: 'int', doc: 'Ends a comment: */\nor not' },
    ]),
  )
  expect(text.split('\n').map((line) => line.trim())).toEqual(
    expect.arrayContaining([
      'readonly schemaId?: string',
      '/** Logical type date. Filled in by ingest. */',
      'readonly timestamp?: number',
      'readonly consentLevels: readonly number[]',
      'readonly inner: Inner',
      'readonly nonce: number',
      '/** Ends a comment: * / or not */',
      'readonly svcMeta: null | Envelope',
    ]),
  )
})

test('the contract follows its types, with the schema as it was published', () => {
  const definition = record([{ name: 'at', type: 'string' }])
  const wanted = [
    "import type { Contract } from '@weir/client'",
    'export const shopClick: Contract<Click> = {',
    "  id: 'shop/click',",
    '  schema: {',
  ]
  for (const given of [definition, JSON.stringify(definition)]) {
    const text = typesOf(contractOf(given))
    for (const line of wanted) expect(text.split('\n')).toContain(line)
    const schema = text.slice(text.indexOf('  schema: ') + 10, text.lastIndexOf(',\n}'))
    expect(JSON.parse(schema)).toEqual({ definition })
  }
})

test.each([
  ['clickstream', 'clickstream'],
  ['demo/event/1.0.0', 'demoEvent100'],
  ['demo_v1', 'demoV1'],
  ['1st', 'contract1st'],
  ['Ünder-way', 'nderWay'],
  ['', 'contract'],
])('the contract %j is the constant %s', (id, name) => {
  expect(constantName(id)).toBe(name)
})

test('words of the language, and names in use, are no names', () => {
  const names = createNames()
  expect(['delete', 'delete', 'Click', 'Click', 'Contract'].map(names)).toEqual([
    'delete2',
    'delete3',
    'Click',
    'Click2',
    'Contract2',
  ])
  expect(typeName('_')).toBe('Type')
})

test('no text of a contract gets out of its place', () => {
  for (const text of ["it's", '"; evil()', 'a\\', 'a\nb', 'a\u2028b'])
    expect(stringLiteral(text)).toMatch(/^'(?:[^'\\\n\r\u2028\u2029]|\\.)*'$/)
  const text = typesOf(contractOf(record([{ name: "it's", type: 'int' }]), 'a\nb'))
  expect(text.split('\n')[0]).toContain('The contract a b,')
  expect(text).toContain("readonly 'it\\'s': number")
})

test('what a listener gets in another form has types of its own', () => {
  const fields = [
    { name: 'raw', type: 'bytes', default: '' },
    { name: 'rating', type: ['null', 'int', 'double'] },
    { name: 'hash', type: { type: 'fixed', name: 'Hash', size: 2 } },
    { name: 'again', type: ['null', 'Hash'] },
  ]
  expect(declarations(record(fields)).split('\n\n')[1]).toBe(
    [
      'export type ClickListened = {',
      '  readonly raw: string',
      '  readonly rating: null | number',
      '  readonly hash: string',
      '  readonly again: null | string',
      '}',
    ].join('\n'),
  )
  expect(declarations(record([{ name: 'a', type: ['null', 'int'] }]))).not.toContain('Listened')
})
