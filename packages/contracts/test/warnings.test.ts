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

const patternWarnings = (value: string): Promise<string[]> =>
  warningsOf({ validations: [{ field: 'key', type: 'regex', value }] })

test.each([
  [
    String.raw`^\p{L}+$`,
    String.raw`\p{L}, in which \p is only the letter p: list the characters, for example [A-Za-zÀ-ÿ]`,
  ],
  [
    String.raw`[\P{Script=Latin} ]`,
    String.raw`\P{Script=Latin}, in which \P is only the letter P: list the characters, for example [A-Za-zÀ-ÿ]`,
  ],
  [
    String.raw`\u{1F600}`,
    String.raw`\u{1F600}, in which \u is only the letter u: write \ud83d\ude00`,
  ],
  [String.raw`\u{e9}`, String.raw`\u{e9}, in which \u is only the letter u: write \u00e9`],
  ...['x{4,', 'x{,5}', '^{', String.raw`[\]]{`].map((source) => [
    source,
    String.raw`a { that starts no repeat, so it is only the character {: write \{ for this character, {4} or {4,} or {4,9} for a repeat`,
  ]),
])('a pattern that means something else without the flag u gets one: %s', async (value, said) => {
  expect(await patternWarnings(value)).toEqual([`The pattern of the field key has ${said}`])
})

test.each([
  String.raw`\{`,
  '[{]',
  String.raw`[\]{]`,
  'a{2}',
  'a{2,}?',
  'a{2,3}',
  String.raw`\\{2}`,
  String.raw`\\p{2}`,
  String.raw`\u00e9{2}`,
  'p+u',
])('a pattern that means what it says gets none: %s', async (value) => {
  expect(await patternWarnings(value)).toEqual([])
})
