import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { walkChain } from '../../src/verify/audit-chain.ts'
import type { ChainRecord, Link } from '../../src/verify/audit-chain.ts'

const hashOf = (value: Buffer): string => createHash('sha256').update(value).digest('hex')

/** Creates a log as the service writes it. Transaction markers cause gaps between offsets. */
function chainOf(count: number): { records: ChainRecord[]; head: Link } {
  const records: ChainRecord[] = []
  let head: Link = { seq: 0, hash: '0'.repeat(64) }
  for (let seq = 1; seq <= count; seq++) {
    const entry = { seq, prev: head.hash, time: `2026-11-21T10:00:0${seq}.000Z`, action: 'a' }
    const value = Buffer.from(JSON.stringify(entry))
    records.push({ offset: String(seq * 2), value })
    head = { seq, hash: hashOf(value) }
  }
  return { records, head }
}

const { records, head } = chainOf(6)
const at = (index: number): ChainRecord => records[index] ?? { offset: '0', value: Buffer.alloc(0) }
const noted = (index: number): Link => ({ seq: index + 1, hash: hashOf(at(index).value) })

function kindsOf(given: readonly ChainRecord[], passes?: Link): string[] {
  const walk = walkChain(passes)
  walk.take(given)
  if (walk.meets(head) === 'behind') walk.cutOff(head)
  return walk.faults.map(({ kind }) => kind)
}

const changed = (record: ChainRecord, from: string, to: string): ChainRecord => ({
  ...record,
  value: Buffer.from(record.value.toString().replace(from, to)),
})

test('a log as it was written is whole', () => {
  expect(kindsOf(records)).toEqual([])
  expect(kindsOf(records, noted(2))).toEqual([])
})

test('a log without entries is whole when none was written', () => {
  const walk = walkChain()
  expect(walk.meets(undefined)).toBe('whole')
})

test('in pieces it is the same log', () => {
  const walk = walkChain()
  for (const record of records) walk.take([record])
  expect(walk.meets(head)).toBe('whole')
  expect(walk.end).toEqual(head)
})

describe('it is found, when', () => {
  test.each(records.map((_, index) => index))('entry %# was changed in one letter', (index) => {
    const forged = records.map((each) => (each === at(index) ? changed(each, '"a"', '"b"') : each))
    expect(kindsOf(forged)).toEqual(['changed'])
  })

  test.each(records.map((_, index) => index))('any bit of entry %# was changed', (index) => {
    const { offset, value } = at(index)
    for (let bit = 0; bit < value.length * 8; bit++) {
      const flipped = Buffer.from(value)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      const forged = records.map((each, place) =>
        place === index ? { offset, value: flipped } : each,
      )
      expect([bit, kindsOf(forged).length]).not.toEqual([bit, 0])
    }
  })

  test('an entry is missing at the beginning, in the middle or at the end', () => {
    expect(kindsOf(records.slice(1))).toEqual(['missing'])
    expect(kindsOf(records.filter((_, index) => index !== 3))).toEqual(['missing'])
    expect(kindsOf(records.slice(0, 5))).toEqual(['cut_off'])
    expect(kindsOf([])).toEqual(['cut_off'])
  })

  test('two entries changed places, or one is there twice', () => {
    const [a, b, c, d, e, f] = [at(0), at(1), at(2), at(3), at(4), at(5)]
    expect(kindsOf([a, c, b, d, e, f])).toContain('out_of_order')
    expect(kindsOf([a, b, b, c, d, e, f])).toContain('out_of_order')
  })

  test('something else lies among the entries, or after them', () => {
    const other = { offset: '13', value: Buffer.from('{"seq":"7"}') }
    expect(kindsOf([...records, other])).toEqual(['unreadable'])
    expect(kindsOf([...records, { offset: '13', value: Buffer.from([0xff]) }])).toEqual([
      'unreadable',
    ])
    expect(kindsOf(chainOf(7).records)).toEqual(['not_ours'])
  })

  test('all of it was written anew, once an entry of it had been noted', () => {
    const forged: ChainRecord[] = []
    let prev = '0'.repeat(64)
    for (const { offset, value } of records) {
      const entry: unknown = JSON.parse(value.toString())
      const anew = Buffer.from(JSON.stringify({ ...Object(entry), prev, action: 'b' }))
      prev = hashOf(anew)
      forged.push({ offset, value: anew })
    }
    const walk = walkChain(noted(2))
    walk.take(forged)
    expect(walk.meets({ seq: 6, hash: prev })).toBe('wrong')
    expect(walk.faults.map(({ kind }) => kind)).toEqual(['not_ours'])
  })

  test('the noted entry is beyond its end', () => {
    const walk = walkChain({ seq: 9, hash: head.hash })
    walk.take(records)
    expect(walk.meets(head)).toBe('wrong')
    expect(walk.faults.map(({ kind }) => kind)).toEqual(['cut_off'])
  })
})

test('faults are told up to a bound, however many there are', () => {
  const walk = walkChain()
  walk.take(
    Array.from({ length: 1_000 }, (_, offset) => ({ offset: `${offset}`, value: Buffer.of(0) })),
  )
  expect(walk.faults).toHaveLength(20)
})
