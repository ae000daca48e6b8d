// A repeated value or text comes from the cache, unless its keys are erased.
import { expect, test } from '@jest/globals'
import { createOpener, createSealer } from '../src/index.ts'
import { CORRUPT, refusalOf } from './support/errors.ts'
import { madeKeys } from './support/made-keys.ts'
import { TODAY, place, forget, openWith, fieldAt } from './support/cached.ts'

test('a value that comes again has the same text; another one, or the same elsewhere, has its own', () => {
  const keys = madeKeys('a', TODAY.era)
  const sealer = createSealer({ entriesMax: 100 })
  const seal = (level: number, path: string, value: string): string =>
    sealer.seal(sealer.person(keys, 'anna', TODAY), fieldAt(level, path), value)
  const first = seal(0, 'f', 'x')
  expect(seal(0, 'f', 'x')).toBe(first)
  expect(seal(0, 'f', 'y')).not.toBe(first)
  expect(seal(0, 'f', 'x')).toBe(first)
  const others = [seal(1, 'f', 'x'), seal(0, 'g', 'x'), seal(0, 'f', 'y')]
  expect(new Set([first, ...others]).size).toBe(4)
})

test('what was sealed for a person is not looked up once the person is forgotten', () => {
  const keys = madeKeys('a', TODAY.era)
  const sealer = createSealer({ entriesMax: 100 })
  const before = sealer.seal(sealer.person(keys, 'anna', TODAY), fieldAt(0, 'f'), 'x')
  const after = sealer.person(forget(keys, 'anna'), 'anna', TODAY)
  expect(sealer.seal(after, fieldAt(0, 'f'), 'x')).not.toBe(before)
})

test('a text that comes again opens to the same value; another one to its own, and elsewhere to none', () => {
  const keys = madeKeys('a', TODAY.era)
  const sealer = createSealer({ entriesMax: 100 })
  const opener = createOpener({ entriesMax: 100 })
  const anna = sealer.person(keys, 'anna', TODAY)
  const seal = (level: number, path: string, value: string): string =>
    sealer.seal(anna, fieldAt(level, path), value)
  const open = (level: number, path: string, text: string) =>
    openWith(opener, [keys], { ...place, keyLink: anna.keyLink, level, path, text })
  const [x, y] = [seal(0, 'f', 'x'), seal(0, 'f', 'y')]
  for (const [text, value] of [
    [x, 'x'],
    [x, 'x'],
    [y, 'y'],
    [x, 'x'],
  ] as const)
    expect(open(0, 'f', text)).toEqual({ kind: 'opened', value })
  expect(refusalOf(() => open(1, 'f', x))).toEqual(CORRUPT)
  expect(refusalOf(() => open(0, 'g', x))).toEqual(CORRUPT)
})

test('what was opened for a person is not looked up once the person is forgotten, or only a level of it', () => {
  const keys = madeKeys('a', TODAY.era)
  const sealer = createSealer({ entriesMax: 100 })
  const anna = sealer.person(keys, 'anna', TODAY)
  const sealed = { ...place, keyLink: anna.keyLink, level: 1, path: 'f' }
  const field = { ...sealed, text: sealer.seal(anna, fieldAt(1, 'f'), 'x') }
  for (const after of [forget(keys, 'anna'), forget(keys, 'anna', [1])]) {
    const opener = createOpener({ entriesMax: 100 })
    expect(openWith(opener, [keys], field)).toEqual({ kind: 'opened', value: 'x' })
    expect(openWith(opener, [after], field)).toEqual({ kind: 'erased' })
  }
})

test('a value that is opened over and over is not kept when it is long', () => {
  const keys = madeKeys('a', TODAY.era)
  const sealer = createSealer({ entriesMax: 100 })
  const anna = sealer.person(keys, 'anna', TODAY)
  const opener = createOpener({ entriesMax: 100 })
  const reader = opener.person(keys, anna.keyLink, TODAY)
  if (reader === 'unknown') throw new Error('all parts are there')
  for (const length of [63, 64]) {
    const text = sealer.seal(anna, fieldAt(0, 'f'), 'x'.repeat(length))
    opener.open(reader, fieldAt(0, 'f'), text)
    expect(reader.openedValue(fieldAt(0, 'f'), text)?.length).toBe(length === 63 ? 63 : undefined)
  }
})
