// Searching a tree in its bytes: erased, unknown and malformed are three different results.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { encodeTree, HEX_DIGITS, indexTree } from '../src/tree/tree-bytes.ts'
import { createTree, replaceTreeParts } from '../src/tree/tree.ts'
import { refusalOf } from './support/errors.ts'

const PATH = '3f'.padEnd(21, '0')
const node = (fill: number): Buffer => Buffer.alloc(32, fill)
const part = (entries: Record<string, number>): Buffer =>
  encodeTree(new Map(Object.entries(entries).map(([prefix, fill]) => [prefix, node(fill)])))

describe('a path', () => {
  test('is found under the one prefix that begins it', () => {
    const tree = createTree([['', part({ '0': 1, '3e': 2, '3f0': 3, '3f1': 4, '4': 5 })]])
    expect(tree.find(PATH)).toEqual({ digits: 3, node: new Uint8Array(node(3)) })
    expect(tree.find('0'.repeat(21))).toEqual({ digits: 1, node: new Uint8Array(node(1)) })
  })

  test('is not found under prefixes that are longer than it', () => {
    const tree = createTree([['', part({ '3f0000': 1 })]])
    expect(tree.find('3f00')).toBe('erased')
    expect(tree.find('3f0000')).toEqual({ digits: 6, node: new Uint8Array(node(1)) })
  })

  test('is erased in a part that is there and empty', () => {
    expect(createTree([['', Buffer.alloc(0)]]).find(PATH)).toBe('erased')
  })

  test('is found as a walk over all entries would find it', () => {
    const prefixes = fc.uniqueArray(fc.stringMatching(/^[0-9a-f]{1,5}$/), { maxLength: 60 })
    fc.assert(
      fc.property(prefixes, fc.stringMatching(/^[0-9a-f]{1,21}$/), (some, path) => {
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
    HEX_DIGITS.filter((digit) => digit !== missing).map((digit): [string, Buffer] => [
      digit,
      part({ [`${digit}1`]: 1 }),
    ])

  test('that is missing makes its paths unknown, not erased, and no others', () => {
    const tree = createTree(siblings('3'))
    expect(tree.find(PATH)).toBe('unknown')
    expect(tree.find('4'.repeat(21))).toBe('erased')
    expect(tree.find('41'.padEnd(21, '0'))).toEqual({ digits: 2, node: new Uint8Array(node(1)) })
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
    const tree = createTree(HEX_DIGITS.map((digit) => [digit, source(digit)]))
    expect(opened).toEqual([])
    tree.find(PATH)
    tree.find(PATH)
    expect(opened).toEqual(['3'])
    replaceTreeParts(tree, [['4', part({ '4': 2 })]]).find(PATH)
    expect(opened).toEqual(['3'])
  })

  test('with a longer suffix is the newer one while both are seen', () => {
    const before = createTree([['', part({ '': 1 })]])
    const during = replaceTreeParts(before, [['3', part({ '30': 2 })]])
    expect(during.find(PATH)).toBe('erased')
    expect(during.find('4'.repeat(21))).toEqual({ digits: 0, node: new Uint8Array(node(1)) })
    const after = replaceTreeParts(during, [['', undefined]])
    expect(after.find('4'.repeat(21))).toBe('unknown')
    expect(before.find(PATH)).toEqual({ digits: 0, node: new Uint8Array(node(1)) })
  })
})

describe('bytes that are no tree', () => {
  const good = part({ '3e': 1, '3f0': 2 })
  const cases: [string, Buffer, string?][] = [
    ['cut off', good.subarray(0, -1)],
    ['a lone length', Buffer.of(4)],
    ['a prefix longer than a path', Buffer.concat([Buffer.of(22), Buffer.alloc(11), node(1)])],
    ['an odd prefix with a low half', Buffer.concat([Buffer.of(1, 0x31), node(1)])],
    ['a prefix twice', Buffer.concat([good, good])],
    ['out of order', Buffer.concat([part({ '4': 1 }), part({ '3': 1 })])],
    ['a prefix that begins another', Buffer.concat([part({ '3': 1 }), part({ '31': 1 })])],
    ['a prefix of another part', good, '4'],
  ]

  test.each(cases)('%s: refused, and never taken for erased', (_, bytes, suffix = '') => {
    const refusal = {
      code: 'fieldcrypt.record_unreadable',
      message: `tree key record '${suffix}' cannot be decrypted`,
    }
    expect(refusalOf(() => indexTree(bytes, suffix))).toEqual(refusal)
    const tree = createTree([[suffix, bytes]])
    expect(refusalOf(() => tree.find(suffix.padEnd(21, '0')))).toEqual(refusal)
  })
})
