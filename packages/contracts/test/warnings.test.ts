import { expect, test } from '@jest/globals'
import { contractWarnings } from '../src/index.ts'
import { definitionWith } from './examples.ts'
import type { ContractParts } from './examples.ts'
import { prepare } from './problems.ts'

async function warningsOf(parts: ContractParts): Promise<string[]> {
  const result = await prepare(definitionWith(parts))
  if (!('prepared' in result)) throw new Error(result.problems.join())
  return contractWarnings(result.prepared)
}

const decimal = { type: 'bytes', logicalType: 'decimal', precision: 9, scale: 2 }

test('decimals and a nullable key field get a warning', async () => {
  const inner = {
    type: 'record',
    name: 'Inner',
    fields: [{ name: 'vat', type: ['null', decimal] }],
  }
  const fields = [
    { name: 'who', type: ['null', 'string'] },
    { name: 'price', type: decimal },
    { name: 'inner', type: inner },
    { name: 'photo', type: 'bytes' },
  ]
  expect(await warningsOf({ fields, keyField: 'who' })).toEqual([
    expect.stringContaining('key field who is nullable'),
    expect.stringContaining('field price is a decimal'),
    expect.stringContaining('field vat is a decimal'),
  ])
})

test('an ordinary contract gets none', async () => {
  expect(await warningsOf({})).toEqual([])
})
