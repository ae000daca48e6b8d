// Invalid input is refused with the same error for every cause.
import { describe, expect, test } from '@jest/globals'
import { createOpener, createSealer, keyTimeOf } from '../src/index.ts'
import type { EraKeys } from '../src/index.ts'
import { siv } from '../src/primitives/primitives.ts'
import { idOf, openText } from '../src/sealed-text.ts'
import { CORRUPT, refusalOf } from './support/errors.ts'
import { fieldAt } from './support/cached.ts'
import { madeKeys } from './support/made-keys.ts'
import { hex, keysV2, vectorKeys } from './support/vectors.ts'

const DAY_MS = 86_400_000
const NOW_MS = 1_635_416_584_627
const { mustFail } = keysV2

const cipher = siv.add(hex(mustFail.sivKey))
const id = idOf(hex(mustFail.keyLink))
const open = (text: string, field = mustFail.field): string =>
  openText({ cipher, path: field, id }, text)

const sealed = keysV2.cases[0]?.fields[0]?.encrypted ?? ''

test('the text that the others are changed from opens', () => {
  expect(open(sealed)).toBe('customer-12345')
})

test.each(mustFail.texts)('%j is refused', (text) => {
  expect(refusalOf(() => open(text))).toEqual(CORRUPT)
})

describe.each(['', 'short', 'sixteen bytes: 16', 'x'.repeat(64), 'longer than a block: é世界'])(
  'of the sealed value %j',
  (value) => {
    const keys = vectorKeys(591)
    const time = keyTimeOf(NOW_MS, DAY_MS)
    const sealer = createSealer({ entriesMax: 100 })
    const opener = createOpener({ entriesMax: 100 })
    const person = sealer.person(keys, 'session-273', time)
    const text = sealer.seal(person, fieldAt(2, 'a/b'), value)
    const bytes = Buffer.from(text, 'base64')
    const openAs = (changed: string) => {
      const reader = opener.person(keys, person.keyLink, time)
      if (reader === 'unknown') throw new Error('all parts are there')
      return opener.open(reader, fieldAt(2, 'a/b'), changed)
    }

    test('the unchanged text opens', () => {
      expect(openAs(text)).toEqual({ kind: 'opened', value })
    })

    test('every flipped bit is refused', () => {
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const changed = Buffer.from(bytes)
        changed.writeUInt8((changed[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3)
        expect(refusalOf(() => openAs(changed.toString('base64')))).toEqual(CORRUPT)
      }
    })

    test('every flipped bit of the text itself is refused', () => {
      for (let bit = 0; bit < text.length * 7; bit++) {
        const at = Math.floor(bit / 7)
        const flipped = String.fromCharCode(text.charCodeAt(at) ^ (1 << (bit % 7)))
        const changed = text.slice(0, at) + flipped + text.slice(at + 1)
        expect(refusalOf(() => openAs(changed))).toEqual(CORRUPT)
      }
    })

    test('every truncation and every extension is refused', () => {
      for (let length = 0; length < bytes.length; length++) {
        const shorter = bytes.toString('base64', 0, length)
        expect(refusalOf(() => openAs(shorter))).toEqual(CORRUPT)
      }
      for (let length = 0; length < text.length; length++) {
        expect(refusalOf(() => openAs(text.slice(0, length)))).toEqual(CORRUPT)
      }
      for (const more of ['=', 'A', '\n', ' ', 'AAAA', '\0']) {
        expect(refusalOf(() => openAs(text + more))).toEqual(CORRUPT)
        expect(refusalOf(() => openAs(more + text))).toEqual(CORRUPT)
      }
      const longer = Buffer.concat([bytes, Buffer.alloc(1)]).toString('base64')
      expect(refusalOf(() => openAs(longer))).toEqual(CORRUPT)
    })
  },
)

describe('a sealed value opens nowhere but in its place', () => {
  const time = keyTimeOf(NOW_MS, DAY_MS)
  const keys = vectorKeys(591)
  const sealer = createSealer({ entriesMax: 100 })
  const opener = createOpener({ entriesMax: 100 })
  const mine = sealer.person(keys, 'session-273', time)
  const text = sealer.seal(mine, fieldAt(1, 'customer/id'), 'customer-12345')

  const openFor = (where: {
    keys?: EraKeys
    keyLink?: Buffer
    timestampMs?: number
    level?: number
    field?: string
    consent?: number[]
  }) => {
    const at = keyTimeOf(where.timestampMs ?? NOW_MS, DAY_MS)
    const reader = opener.person(where.keys ?? keys, where.keyLink ?? mine.keyLink, at)
    if (reader === 'unknown') throw new Error('all parts are there')
    return opener.open(
      reader,
      fieldAt(where.level ?? 1, where.field ?? 'customer/id', where.consent),
      text,
    )
  }

  test('it does open there', () => {
    expect(openFor({})).toEqual({ kind: 'opened', value: 'customer-12345' })
  })

  test('another field', () => {
    expect(refusalOf(() => openFor({ field: 'customer/name' }))).toEqual(CORRUPT)
    expect(refusalOf(() => openFor({ field: '' }))).toEqual(CORRUPT)
  })

  test('another level', () => {
    for (const level of [0, 2, 3]) expect(refusalOf(() => openFor({ level }))).toEqual(CORRUPT)
  })

  test('another consent of the same person on the same day', () => {
    for (const consent of [[], [1], [0, 1], [0, 1, 2], [0, 1, 2, 3, 4], [255]])
      expect(refusalOf(() => openFor({ consent }))).toEqual(CORRUPT)
    expect(openFor({ consent: [3, 2, 1, 0, 0] })).toMatchObject({ kind: 'opened' })
  })

  test('another person', () => {
    const other = sealer.person(keys, 'session-274', time)
    expect(refusalOf(() => openFor({ keyLink: other.keyLink }))).toEqual(CORRUPT)
  })

  test('another day, with the keyLink of either', () => {
    const timestampMs = NOW_MS + DAY_MS
    const tomorrow = sealer.person(keys, 'session-273', keyTimeOf(timestampMs, DAY_MS))
    expect(refusalOf(() => openFor({ timestampMs }))).toEqual(CORRUPT)
    expect(refusalOf(() => openFor({ timestampMs, keyLink: tomorrow.keyLink }))).toEqual(CORRUPT)
  })

  test('another stream, with the keyLink of either', () => {
    const elsewhere = madeKeys('another stream', 591)
    const there = createSealer({ entriesMax: 100 }).person(elsewhere, 'session-273', time)
    expect(refusalOf(() => openFor({ keys: elsewhere }))).toEqual(CORRUPT)
    expect(refusalOf(() => openFor({ keys: elsewhere, keyLink: there.keyLink }))).toEqual(CORRUPT)
  })

  test('the same stream, if its tree had another root', () => {
    const root = Buffer.concat([Buffer.of(0), Buffer.alloc(32, 9)])
    const replanted = vectorKeys(591, { streamId: 'stream-b', trees: [['', root]] })
    expect(refusalOf(() => openFor({ keys: replanted }))).toEqual(CORRUPT)
  })
})
