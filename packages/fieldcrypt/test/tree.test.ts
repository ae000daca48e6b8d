// Searching a tree in its bytes: erased, unknown and malformed are three different results.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { DIGITS } from '../src/tree/digits.ts'
import { encodeTree, indexTree } from '../src/tree/tree-bytes.ts'
import { createTree, replaceTreeParts } from '../src/tree/tree.ts'
import { refusalOf } from './support/errors.ts'

const PATH = '31'.padEnd(36, '0')
const node = (fill: number): Buffer => Buffer.alloc(32, fill)
const part = (entries: Record<string, number>): Buffer =>
  encodeTree(new Map(Object.entries(entries).map(([prefix, fill]) => [prefix, node(fill)])))

describe('a path', () => {
  test('is found under the one prefix that begins it', () => {
    const tree = createTree([['', part({ '0': 1, '30': 2, '310': 3, '311': 4, '32': 5 })]])
    expect(tree.find(PATH)).toEqual({ digits: 3, node: new Uint8Array(node(3)) })
    expect(tree.find('0'.repeat(36))).toEqual({ digits: 1, node: new Uint8Array(node(1)) })
  })

  test('is not found under prefixes that are longer than it', () => {
    const tree = createTree([['', part({ '310000': 1 })]])
    expect(tree.find('3100')).toBe('erased')
    expect(tree.find('310000')).toEqual({ digits: 6, node: new Uint8Array(node(1)) })
  })

  test('is erased in a part that is there and empty', () => {
    expect(createTree([['', Buffer.alloc(0)]]).find(PATH)).toBe('erased')
  })

  test('is found as a walk over all entries would find it', () => {
    const prefixes = fc.uniqueArray(fc.stringMatching(/^[0-3]{1,9}$/), { maxLength: 60 })
    fc.assert(
      fc.property(prefixes, fc.stringMatching(/^[0-3]{1,36}$/), (some, path) => {
        const own = some.filter((p) => !some.some((q) => q !== p && p.startsWith(q)))
        const entries = new Map(own.map((prefix, i) => [prefix, node(i)]))
        const prefix = own.find((p) => path.startsWith(p))
        const stored = prefix !== undefined && {
          digits: prefix.length,
          node: new Uint8Array(entries.get(prefix) ?? []),
        }
        const found = createTree([['', encodeTree(entries)]]).find(path)
        expect(found).toEqual(stored || 'erased')
      }),
    )
  })
})

describe('a part', () => {
  const siblings = (missing: string) =>
    DIGITS.filter((digit) => digit !== missing).map((digit): [string, Buffer] => [
      digit,
      part({ [`${digit}1`]: 1 }),
    ])

  test('that is missing makes its paths unknown, not erased, and no others', () => {
    const tree = createTree(siblings('3'))
    expect(tree.find(PATH)).toBe('unknown')
    expect(tree.find('2'.repeat(36))).toBe('erased')
    expect(tree.find('21'.padEnd(36, '0'))).toEqual({ digits: 2, node: new Uint8Array(node(1)) })
  })

  test('of a tree without any is unknown', () => {
    expect(createTree([]).find(PATH)).toBe('unknown')
  })

  test('that cannot be opened yet is asked for again', () => {
    const opened = new Map<string, Buffer>()
    const tree = createTree([['', () => opened.get('tree')]])
    expect(tree.find(PATH)).toBe('unknown')
    opened.set('tree', part({ '3': 7 }))
    expect(tree.find(PATH)).toEqual({ digits: 1, node: new Uint8Array(node(7)) })
  })

  test('is opened at its first use and once', () => {
    const opened: string[] = []
    const source = (digit: string) => () => {
      opened.push(digit)
      return part({ [digit]: 1 })
    }
    const tree = createTree(DIGITS.map((digit) => [digit, source(digit)]))
    expect(opened).toEqual([])
    tree.find(PATH)
    tree.find(PATH)
    expect(opened).toEqual(['3'])
    replaceTreeParts(tree, [['2', part({ '2': 2 })]]).find(PATH)
    expect(opened).toEqual(['3'])
  })

  test('with a longer suffix is the newer one while both are seen', () => {
    const before = createTree([['', part({ '': 1 })]])
    const during = replaceTreeParts(before, [['3', part({ '30': 2 })]])
    expect(during.find(PATH)).toBe('erased')
    expect(during.find('2'.repeat(36))).toEqual({ digits: 0, node: new Uint8Array(node(1)) })
    const after = replaceTreeParts(during, [['', undefined]])
    expect(after.find('2'.repeat(36))).toBe('unknown')
    expect(before.find(PATH)).toEqual({ digits: 0, node: new Uint8Array(node(1)) })
  })
})

describe('bytes that are no tree', () => {
  const good = part({ '30': 1, '310': 2 })
  const cases: [string, Buffer, string?][] = [
    ['cut off', good.subarray(0, -1)],
    ['a lone length', Buffer.of(4)],
    ['a prefix longer than a path', Buffer.concat([Buffer.of(37), Buffer.alloc(10), node(1)])],
    ...[1, 2, 3].map((digits): [string, Buffer] => [
      `a prefix of ${digits} digits with a bit behind them`,
      Buffer.concat([Buffer.of(digits, 0x80 >> (2 * digits)), node(1)]),
    ]),
    ['a prefix twice', Buffer.concat([good, good])],
    ['out of order', Buffer.concat([part({ '3': 1 }), part({ '2': 1 })])],
    ['a prefix that begins another', Buffer.concat([part({ '3': 1 }), part({ '31': 1 })])],
    ['a prefix of another part', good, '2'],
  ]

  test.each(cases)('%s: refused, and never taken for erased', (_, bytes, suffix = '') => {
    const refusal = {
      code: 'fieldcrypt.record_unreadable',
      message: `tree key record '${suffix}' cannot be decrypted`,
    }
    expect(refusalOf(() => indexTree(bytes, suffix))).toEqual(refusal)
    const tree = createTree([[suffix, bytes]])
    expect(refusalOf(() => tree.find(suffix.padEnd(36, '0')))).toEqual(refusal)
  })
})
