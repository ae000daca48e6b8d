// The worst contracts that an account's owner may publish. auth reads them on creation, and ingest and output compile
// them. A schema has up to 262,144 characters, and a contract up to 1 MiB.
import type { ParserCase } from '../../src/complexity/parser-growth.ts'
import { compiling, contractOf, many, preparing, record } from './parts.ts'
import type { Field } from './parts.ts'

const int = (name: string): Field => ({ name, type: 'int' })
const ints = (count: number): Field[] => many(count, (i) => int(`f${i}`))
const deep = (levels: number, inner: unknown): unknown =>
  levels === 0 ? inner : { type: 'array', items: deep(levels - 1, inner) }

/** Returns a recursive record, so that paths have no limit. */
const endless = (fields: readonly Field[]): Field => ({
  name: 'r',
  type: record('R', [
    { name: 'r', type: ['null', 'R'], default: null },
    { name: 'q', type: ['null', 'R'], default: null },
    { name: 's', type: ['null', 'string'], default: null },
    ...fields,
  ]),
})

const chainOfRecords = (count: number): Field[] => [
  {
    name: 'all',
    type: record(
      'All',
      many(count, (i) => ({
        name: `d${i}`,
        type: record(`R${i}`, [{ name: 'x', type: i === 0 ? 'int' : `R${i - 1}` }]),
      })),
    ),
  },
  ...many(count, (i) => ({ name: `z${i}`, type: `R${count - 1 - i}` })),
]

const recordOfTypes = (count: number): object =>
  record(
    'A',
    many(count, (i) => ({ name: `f${i}`, type: { type: 'fixed', name: `F${i}`, size: 1 } })),
  )

const references = (count: number, namespace: string): object => ({
  ...record(
    'A',
    many(count, (i) => ({ name: `f${i}`, type: 'B' })),
  ),
  namespace,
})

const enumAndFields = (count: number): Field[] => [
  { name: 'e', type: { type: 'enum', name: 'E', symbols: many(2 * count, (i) => `S${i}`) } },
  ...many(count, (i) => ({ name: `f${i}`, type: 'E', default: 'S0' })),
]

const longDefaults = (count: number): Field[] => [
  { name: 'a', type: record('A', [{ name: 'b', type: 'bytes', default: 'x'.repeat(30 * count) }]) },
  ...many(count, (i) => ({ name: `f${i}`, type: 'A', default: {} })),
]

const personal = (count: number) =>
  contractOf(
    many(count, (i) => ({ name: `f${i}`, type: 'string' })),
    { pii_fields: Object.fromEntries(many(count, (i) => [`f${i}`, 0])) },
  )

/** Creates `count` paths through a record that contains itself in two fields. */
const ways = (count: number): Record<string, number> =>
  Object.fromEntries(
    many(count, (i) => {
      const turns = i.toString(2).padStart(16, '0').replaceAll('0', 'r/').replaceAll('1', 'q/')
      return [`r/${turns}s`, 0]
    }),
  )

export const contractCases: readonly ParserCase[] = [
  {
    name: 'a schema of many fields',
    size: 900,
    at: (n) => preparing(contractOf(ints(n))),
    ends: 'taken',
  },
  {
    name: 'a schema of many fields with one name',
    size: 900,
    at: (n) => preparing(contractOf(many(n, () => int('f')))),
    ends: 'Error: schema.definition: has the field f twice',
  },
  {
    name: 'a schema that is wrong everywhere, far in and under long names',
    size: 1_000,
    at: (n) =>
      preparing(
        contractOf([
          {
            name: 'a',
            type: record('A', [
              {
                name: 'b'.repeat(4 * n),
                type: record(
                  'B',
                  many(n, () => int('')),
                ),
              },
            ]),
          },
        ]),
      ),
    ends: 'Error: schema.definition: a: has a field without a valid name',
  },
  {
    name: 'a schema of many types in a long name space',
    size: 250,
    at: (n) =>
      preparing(
        contractOf([{ name: 'a', type: { ...recordOfTypes(n), namespace: 'n'.repeat(20 * n) } }]),
      ),
    ends: 'Error: schema.definition: a: has an invalid namespace',
  },
  {
    name: 'a schema of many references in a long name space',
    size: 700,
    at: (n) => preparing(contractOf([{ name: 'a', type: references(n, 'n'.repeat(10 * n)) }])),
    ends: 'Error: schema.definition: a: has an invalid namespace',
  },
  {
    name: 'a schema with a union of many types',
    size: 650,
    at: (n) =>
      preparing(
        contractOf([
          { name: 'u', type: many(n, (i) => ({ type: 'fixed', name: `F${i}`, size: 1 })) },
        ]),
      ),
    ends: 'Error: schema.definition: u: has a union of more than 100 types',
  },
  {
    name: 'a schema whose records are found in the order that tells least of their sizes',
    size: 220,
    at: (n) => preparing(contractOf(chainOfRecords(n))),
    ends: 'Error: schema.definition: Event cannot have a value',
  },
  {
    name: 'a schema of lists in lists, as deep as may be',
    size: 15,
    at: (n) => preparing(contractOf(many(n, (i) => ({ name: `f${i}`, type: deep(60, 'int') })))),
    ends: 'taken',
  },
  {
    name: 'a schema nested deeper than may be',
    size: 400,
    at: (n) => preparing(contractOf([{ name: 'f', type: deep(n, 'int') }])),
    ends: 'Error: schema.definition: is nested deeper than 256 levels',
  },
  {
    name: 'a schema of an enum of many symbols that many defaults name',
    size: 450,
    at: (n) => preparing(contractOf(enumAndFields(n))),
    ends: 'taken',
  },
  {
    name: 'a schema whose many defaults repeat a long one',
    size: 400,
    at: (n) => preparing(contractOf(longDefaults(n))),
    ends: 'Error: schema.definition: f',
  },
  {
    name: 'many fields, all of them personal',
    size: 120,
    at: (n) => preparing(personal(n)),
    ends: 'taken',
  },
  {
    name: 'many personal fields that are not there',
    size: 120,
    at: (n) =>
      preparing(
        contractOf(ints(n / 5), { pii_fields: Object.fromEntries(many(n, (i) => [`g${i}`, 0])) }),
      ),
    ends: 'Error: pii_fields',
  },
  {
    name: 'a key field whose path goes round and round in a record',
    size: 10_000,
    at: (n) => preparing(contractOf([endless(ints(n / 12))], { key_field: `${'r/'.repeat(n)}s` })),
    ends: 'Error: key_field',
  },
  {
    name: 'a contract of more validations than there may be',
    size: 4_000,
    at: (n) =>
      preparing(
        contractOf([], {
          validations: many(n, () => ({ field: 'key', type: 'regex', value: 'a' })),
        }),
      ),
    ends: 'Error: validations',
  },
  {
    name: 'compiling many fields, all of them personal',
    size: 120,
    at: (n) => compiling(personal(n)),
    ends: 'taken',
  },
  {
    name: 'compiling a record that holds itself, with personal fields on ever other ways into it',
    size: 60,
    at: (n) => compiling(contractOf([endless(ints(8 * n))], { pii_fields: ways(2 * n) })),
    ends: 'taken',
  },
]
