// The bound for one event's validations is so low that other requests need not wait.
import { describe, expect, test } from '@jest/globals'

import { measured } from '../../../tools/testkit/src/scale.ts'
import { definitionText, prepareContract } from '../src/index.ts'
import type { Contract, Event } from '../src/index.ts'
import { baseEvent, bodyWith, compile, definitionWith } from './examples.ts'
import type { Json } from './examples.ts'

const fields = [
  { name: 'text', type: 'string', default: '' },
  { name: 'list', type: { type: 'array', items: 'string' }, default: [] },
]
const on = (field: string, values: readonly string[]) =>
  values.map((value) => ({ field, type: 'regex', value }))

const refused = (field: string): string =>
  `Field '${field}' is too long for the patterns of its validations: matching them could take more than 2000000 steps; ` +
  'send a shorter value, or publish a contract with fewer or simpler patterns'

const contractWith = (validations: readonly unknown[]): Promise<Contract> =>
  compile(definitionWith({ fields, validations }))
const read = (contract: Contract, change: Json): Event =>
  contract.readJson(bodyWith({ ...baseEvent, text: '', list: [], ...change }))

/** Returns the result and its processor time: the minimum of three runs, because other programs use the machine. */
function judge(contract: Contract, event: Event): { sentence: string | undefined; cpuMs: number } {
  const runs = [1, 2, 3].map(() => {
    const before = process.cpuUsage()
    const sentence = contract.firstViolation(event)
    const { user, system } = process.cpuUsage(before)
    return { sentence, cpuMs: (user + system) / 1_000 }
  })
  return { sentence: runs[0]?.sentence, cpuMs: Math.min(...runs.map(({ cpuMs }) => cpuMs)) }
}

describe('too much work is refused before any of it is done', () => {
  test('six large patterns and a value of 61 kB', async () => {
    const patterns = ['cd', 'dc', 'cc', 'dd', 'ce', 'ec'].map((last) => `a[ab]{950}[${last}]`)
    const contract = await contractWith(on('text', patterns))
    const event = read(contract, { text: 'ab'.repeat(30_500) })
    const { sentence, cpuMs } = judge(contract, event)
    expect(sentence).toBe(refused('text'))
    expect(cpuMs).toBeLessThan(measured(20))
  })

  test('a hundred patterns and a value of 1 MiB', async () => {
    const patterns = Array.from({ length: 100 }, (_, at) => `^.+${at % 10}?$`)
    const contract = await contractWith(on('text', patterns))
    const { sentence, cpuMs } = judge(contract, read(contract, { text: 'a'.repeat(1_048_000) }))
    expect(sentence).toBe(refused('text'))
    expect(cpuMs).toBeLessThan(measured(20))
  })

  test('lists: of a thousand long values, and of hundreds of thousands of empty ones', async () => {
    const patterns = Array.from({ length: 100 }, (_, at) => `^[a-z]*${at % 10}?$`)
    const contract = await contractWith(on('list', patterns))
    const long = Array.from({ length: 1_000 }, () => 'a'.repeat(1_000))
    const empty = Array.from({ length: 300_000 }, () => '')
    for (const list of [long, empty]) {
      const { sentence, cpuMs } = judge(contract, read(contract, { list }))
      expect(sentence).toBe(refused('list'))
      expect(cpuMs).toBeLessThan(measured(20))
    }
  })

  test('the field that takes the most is named, not the one where it became too much', async () => {
    const contract = await contractWith([
      ...on('key', ['^.+$']),
      ...on('text', ['^.+$']),
      ...on('list', ['^.+$']),
    ])
    const text = 'a'.repeat(1_040_000)
    const { sentence } = judge(contract, read(contract, { text, list: ['a'.repeat(300_000)] }))
    expect(sentence).toBe(refused('text'))
  })
})

test('what is usual passes: 1 MiB of plain text, and lists of a thousand short values', async () => {
  const contract = await contractWith([
    ...on('key', ['^.+$']),
    ...on('text', ['^.+$']),
    ...on('list', ['^[a-z]+$', '^(a+)+$']),
  ])
  expect(judge(contract, read(contract, { text: 'a'.repeat(1_000_000) })).sentence).toBeUndefined()
  const list = Array.from({ length: 1_000 }, () => 'a'.repeat(10))
  expect(judge(contract, read(contract, { text: 'a', list })).sentence).toBeUndefined()
})

describe('a contract whose patterns are too much is refused when it is made', () => {
  const problemsWith = async (validations: readonly unknown[]): Promise<readonly string[]> => {
    const definition = definitionWith({ fields, validations })
    const result = await prepareContract(definition, definitionText(definition))
    return 'problems' in result ? result.problems : []
  }

  test('when compiling its patterns alone would take long', async () => {
    const patterns = Array.from({ length: 11 }, (_, at) => `a[ab]{950}[c${at % 10}]`)
    expect(await problemsWith(on('text', patterns))).toEqual([
      'validations: have patterns with more than 10000 steps together; use simpler ones',
    ])
  })
})
