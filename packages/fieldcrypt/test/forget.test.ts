// Erasing a person, withdrawing a consent, and splitting a large tree: byte for byte as in the vectors. Invariants hold
// for erasures in any order.
import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { linkDigits, linkOf, pathOf } from '../src/derivation.ts'
import { currentOf } from '../src/tree/forget.ts'
import {
  growthMaxBytes,
  linksOf,
  prefixesOf,
  puncture,
  startCutting,
  withTree,
} from '../src/index.ts'
import type { EraKeys, Tree } from '../src/index.ts'
import { walk } from '../src/primitives/primitives.ts'
import { DIGITS } from '../src/tree/digits.ts'
import { encodeTree } from '../src/tree/tree-bytes.ts'
import { decodeTree, entriesOf } from './support/entries.ts'
import { refusalOf } from './support/errors.ts'
import { madeKeys } from './support/made-keys.ts'
import { keysV2, linkKey, vectorKeys } from './support/vectors.ts'

const sha256 = (data: Uint8Array | string): string =>
  createHash('sha256').update(data).digest('hex')

function forget(keys: EraKeys, values: string[], levels?: number[]): EraKeys {
  const links = values.flatMap((value) => linksOf(keys, value))
  const prefixes = links.flatMap((link) => prefixesOf(link, levels))
  return withTree(keys, puncture(keys, prefixes).tree)
}

function leafOf(tree: Tree, path: string): string | undefined {
  const stored = tree.find(path)
  if (typeof stored === 'string') return undefined
  return Buffer.from(walk(stored.node, path.slice(stored.digits))).toString('hex')
}

function expectNoPrefixBeginsAnother(tree: Tree): void {
  const prefixes = [...entriesOf(tree).keys()].sort()
  for (const [i, prefix] of prefixes.entries()) {
    expect(prefixes[i + 1]?.startsWith(prefix) ?? false).toBe(false)
  }
}

describe('the vectors', () => {
  test('erasing and withdrawing, step by step', () => {
    let keys = vectorKeys(591)
    for (const step of keysV2.erasures) {
      keys = forget(keys, [step.keyFieldValue], step.levels ?? undefined)
      const entries = entriesOf(keys.tree)
      const bytes = encodeTree(entries)
      const lines = [...entries.keys()].sort().map((prefix) => {
        return `${prefix}:${Buffer.from(entries.get(prefix) ?? []).toString('hex')}\n`
      })
      expect(entries.size).toBe(step.storedNodes)
      expect(sha256(lines.join(''))).toBe(step.sha256OfTree)
      expect(bytes).toHaveLength(step.treeBytes)
      expect(sha256(bytes)).toBe(step.sha256OfTreeBytes)
      const current = currentOf(keys.tree, linkKey, step.keyFieldValue)
      if (current === 'unknown') throw new Error('the tree is there')
      expect(current.generation).toBe(step.nextGeneration)
      expect(Buffer.from(current.link).toString('hex')).toBe(step.nextLink)
      const past = linkDigits(linkOf(linkKey, step.keyFieldValue, 0))
      const left = [0, 1, 2, 3].filter((level) => leafOf(keys.tree, pathOf(past, level)))
      expect(left).toEqual(step.generation0LevelsLeft)
    }
  })

  test('a tree that grew beyond its bound is four parts', () => {
    const keys = vectorKeys(591)
    const links = Array.from({ length: 60 }, (_, i) => linkOf(linkKey, `many-${i}`, 0))
    const { changes, tree } = puncture(
      keys,
      links.flatMap((link) => prefixesOf(link)),
    )
    const records = Object.fromEntries(
      [...changes].flatMap(([suffix, bytes]) =>
        bytes === undefined ? [] : [[suffix, [bytes.length, sha256(bytes)]]],
      ),
    )
    expect(records).toEqual(keysV2.split.records)
    expect(changes.get('')).toBeUndefined()
    expect(changes.has('')).toBe(true)
    expect([...tree.parts.keys()].sort()).toEqual(DIGITS)
    for (const link of links) expect(tree.find(linkDigits(link))).toBe('erased')
  })
})

describe('splitting', () => {
  const grown = (partBytesMax: number, people: number) => {
    let keys = madeKeys('split', 1)
    for (let i = 0; i < people; i++) {
      const links = linksOf(keys, `person-${i}`)
      const prefixes = links.flatMap((link) => prefixesOf(link))
      keys = withTree(keys, puncture(keys, prefixes, partBytesMax).tree)
    }
    return keys.tree
  }

  test('into parts of any size keeps every entry and finds the same', () => {
    const whole = grown(1_000_000, 8)
    const parted = grown(700, 8)
    expect(parted.parts.size).toBeGreaterThan(100)
    expect(encodeTree(entriesOf(parted))).toEqual(encodeTree(entriesOf(whole)))
    fc.assert(
      fc.property(fc.stringMatching(/^[0-3]{36}$/), (path) => {
        expect(parted.find(path)).toEqual(whole.find(path))
      }),
    )
  })

  test('leaves empty parts where nothing is stored, so that they can be told from missing ones', () => {
    const keys = madeKeys('empty', 1)
    const all = DIGITS.map((digit) => `3${digit}`)
    const { changes } = puncture(keys, all, 60)
    expect([...changes].filter(([suffix]) => suffix.startsWith('3'))).toEqual([
      ['3', Buffer.alloc(0)],
    ])
  })

  test('changes only the part that holds the person', () => {
    const tree = grown(3_000, 8)
    const keys = withTree(madeKeys('split', 1), tree)
    const [link] = linksOf(keys, 'person-9')
    const path = linkDigits(link ?? new Uint8Array(0))
    const { changes } = puncture(keys, [path], 1_000_000)
    expect([...changes.keys()]).toEqual([tree.suffixFor(path)])
  })
})

test.each([1, 2, 20, 300])('what %i people take is known before, and no more', (people) => {
  const grown = (keys: EraKeys): number => encodeTree(entriesOf(keys.tree)).length
  const values = Array.from({ length: people }, (_, i) => `person-${i}`)
  const [fresh, levels] = [madeKeys('growth', 1), [0, 2]]
  const whole = grown(forget(fresh, values)) - grown(fresh)
  expect(whole).toBeLessThanOrEqual(growthMaxBytes(people))
  expect(whole).toBeGreaterThan(growthMaxBytes(people) / 2)
  const withdrawn = grown(forget(fresh, values, levels)) - grown(fresh)
  expect(withdrawn).toBeLessThanOrEqual(growthMaxBytes(people, levels.length))
})

describe('forgetting', () => {
  test('goes on with a part that leaves the cache, which overwrites it', () => {
    const keys = forget(madeKeys('wiped', 1), ['ben'])
    const [part] = [...keys.tree.parts.values()].map((each) => each.open())
    const [first, second] = ['anna', 'cleo'].map((value) =>
      linksOf(keys, value).flatMap((link) => prefixesOf(link)),
    )
    const expected = puncture(keys, [...(first ?? []), ...(second ?? [])]).changes
    const cutting = startCutting(keys)
    for (const prefix of first ?? []) cutting.remove(prefix)
    for (const prefix of second ?? []) cutting.remove(prefix)
    part?.bytes.fill(0)
    expect(new Map(cutting.changes())).toEqual(expected)
  })

  test('twice changes nothing the second time', () => {
    const keys = madeKeys('twice', 1)
    const prefixes = linksOf(keys, 'anna').flatMap((link) => prefixesOf(link))
    const once = puncture(keys, prefixes)
    const twice = puncture(withTree(keys, once.tree), prefixes)
    expect(once.changes.size).toBe(1)
    expect(twice.changes.size).toBe(0)
  })

  test('several values in one step is the same as one after the other', () => {
    const keys = madeKeys('batch', 1)
    const values = ['anna', 'ben', 'anna', 'cleo']
    const together = forget(keys, values)
    const oneByOne = ['anna', 'ben', 'cleo'].reduce((k, value) => forget(k, [value]), keys)
    expect(encodeTree(entriesOf(together.tree))).toEqual(encodeTree(entriesOf(oneByOne.tree)))
  })

  test('a consent reaches back to the generations before the current one', () => {
    let keys = madeKeys('reach', 1)
    keys = forget(keys, ['anna'], [3])
    const [first] = linksOf(keys, 'anna')
    keys = forget(keys, ['anna'], [2, 3])
    const path = (level: number) => pathOf(linkDigits(first ?? new Uint8Array(0)), level)
    expect([0, 1, 2, 3].filter((level) => leafOf(keys.tree, path(level)))).toEqual([0, 1])
    expect(linksOf(keys, 'anna')).toHaveLength(3)
  })

  test('is refused while a part of the tree is missing', () => {
    const keys = madeKeys('missing', 1)
    const unread = { ...keys, tree: vectorKeys(1, { trees: [['', () => undefined]] }).tree }
    const refusal = {
      code: 'fieldcrypt.key_unavailable',
      message: 'key record tree of stream missing, term 0, is not available',
    }
    expect(refusalOf(() => linksOf(unread, 'anna'))).toEqual(refusal)
    expect(refusalOf(() => puncture(unread, ['0'.repeat(32)]))).toEqual(refusal)
    expect(refusalOf(() => linksOf({ ...keys, link: undefined }, 'anna'))?.message).toBe(
      'key record link of stream missing, term 0, is not available',
    )
  })

  test('keeps its promises whoever is forgotten, and in whatever order', () => {
    const person = fc.constantFrom('anna', 'ben', 'cleo', 'dora', 'é世界')
    const levels = fc.option(fc.uniqueArray(fc.nat(3), { minLength: 1 }), { nil: undefined })
    const partBytesMax = fc.constantFrom(1_500, 4_000, 65_536)
    const steps = fc.array(fc.record({ person, levels, partBytesMax }), { maxLength: 5 })
    fc.assert(
      fc.property(steps, (toForget) => {
        const fresh = madeKeys('promises', 1)
        let keys = fresh
        for (const step of toForget) {
          const before = linksOf(keys, step.person)
          const prefixes = before.flatMap((link) => prefixesOf(link, step.levels))
          keys = withTree(keys, puncture(keys, prefixes, step.partBytesMax).tree)
          for (const prefix of prefixes)
            expect(keys.tree.find(prefix.padEnd(36, '0'))).toBe('erased')
          expect(linksOf(keys, step.person)).toHaveLength(before.length + 1)
        }
        expectNoPrefixBeginsAnother(keys.tree)
        expectStrangersUntouched(fresh, keys, new Set(toForget.map((step) => step.person)))
      }),
      { numRuns: 40 },
    )
  })
})

function expectStrangersUntouched(fresh: EraKeys, keys: EraKeys, forgotten: Set<string>): void {
  const strangers = ['anna', 'ben', 'cleo', 'dora', 'é世界', 'erik'].filter(
    (name) => !forgotten.has(name),
  )
  for (const stranger of strangers) {
    const [link, ...more] = linksOf(keys, stranger)
    expect(more).toEqual([])
    for (const level of [0, 3, 255]) {
      const path = pathOf(linkDigits(link ?? new Uint8Array(0)), level)
      expect(leafOf(keys.tree, path)).toBe(leafOf(fresh.tree, path))
      expect(leafOf(keys.tree, path)).toBeDefined()
    }
  }
}

test('a tree in bytes comes back entry by entry', () => {
  const { tree } = forget(madeKeys('bytes', 1), ['anna', 'ben'], [1, 2])
  const entries = entriesOf(tree)
  expect(decodeTree(encodeTree(entries), '')).toEqual(entries)
})
