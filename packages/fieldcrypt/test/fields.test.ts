// Encrypting and decrypting as services use them: the vectors through the cache, round trips, and the three results of
// decrypting.
import { inspect } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createOpener, createSealer, createTree, keyTimeOf, withTree } from '../src/index.ts'
import type { EraKeys, Opened } from '../src/index.ts'
import { DIGITS } from '../src/tree/digits.ts'
import { linkDigits } from '../src/derivation.ts'
import { fieldAt, forget } from './support/cached.ts'
import { CORRUPT, refusalOf } from './support/errors.ts'
import { madeKeys } from './support/made-keys.ts'
import { hex, keysV2, vectorKeys } from './support/vectors.ts'

const DAY_MS = 86_400_000
const NOW_MS = 1_635_416_584_627
const TIME = keyTimeOf(NOW_MS, DAY_MS)

function openAll(keys: EraKeys, keyLink: Buffer, fields: [number, string, string][]): Opened[] {
  const opener = createOpener({ entriesMax: 50 })
  const person = opener.person(keys, keyLink, TIME)
  if (person === 'unknown') throw new Error('the label is at hand')
  return fields.map(([level, path, text]) => opener.open(person, fieldAt(level, path), text))
}

test.each(keysV2.cases.filter(({ generation }) => generation === 0))(
  'the fields of $keyFieldValue at $timestamp are encrypted and decrypted as the vectors have them',
  (example) => {
    const time = keyTimeOf(example.timestamp, example.rotationMs)
    const keys = vectorKeys(example.era)
    const sealer = createSealer({ entriesMax: 50 })
    const opener = createOpener({ entriesMax: 50 })
    for (let round = 0; round < 2; round++) {
      const person = sealer.person(keys, example.keyFieldValue, time)
      expect(person.keyLink.toString('hex')).toBe(example.keyLink)
      expect([person.uuid, person.int]).toEqual([example.keyLinkUuid, example.keyLinkInt])
      expect(Buffer.from(person.link).toString('hex')).toBe(example.link)
      const reader = opener.person(keys, hex(example.keyLink), time)
      if (reader === 'unknown') throw new Error('the label is at hand')
      for (const { level, field, plain, encrypted } of example.fields) {
        const at = fieldAt(level, field, example.consentLevels)
        expect(sealer.seal(person, at, plain)).toBe(encrypted)
        expect(opener.open(reader, at, encrypted)).toEqual({ kind: 'opened', value: plain })
      }
    }
  },
)

test('a forgotten person is sealed under the next generation, as the vectors have it', () => {
  const example = keysV2.cases.find(({ generation }) => generation === 1)
  if (example === undefined) throw new Error('the vectors have one')
  const keys = forget(vectorKeys(example.era), example.keyFieldValue)
  const time = keyTimeOf(example.timestamp, example.rotationMs)
  const sealer = createSealer({ entriesMax: 50 })
  const person = sealer.person(keys, example.keyFieldValue, time)
  expect(person.generation).toBe(1)
  expect(person.keyLink.toString('hex')).toBe(example.keyLink)
  for (const { level, field, plain, encrypted } of example.fields) {
    const at = fieldAt(level, field, example.consentLevels)
    expect(sealer.seal(person, at, plain)).toBe(encrypted)
  }
})

describe('what was sealed opens to the same', () => {
  const keys = madeKeys('round trips', TIME.era)
  const sealer = createSealer({ entriesMax: 50 })
  const text = fc.string({ unit: 'binary', maxLength: 80 })

  test('whatever the key field value, field path, level and value', () => {
    const parts = fc.record({ who: text, path: text, level: fc.nat(3), value: text })
    fc.assert(
      fc.property(parts, ({ who, path, level, value }) => {
        const person = sealer.person(keys, who, TIME)
        const sealed = sealer.seal(person, fieldAt(level, path), value)
        const length = 21 + Buffer.byteLength(value)
        expect(Buffer.from(sealed, 'base64')).toHaveLength(length)
        expect(sealer.seal(person, fieldAt(level, path), value)).toBe(sealed)
        const opened = openAll(keys, person.keyLink, [[level, path, sealed]])
        expect(opened).toEqual([{ kind: 'opened', value }])
      }),
    )
  })

  test.each([0, 1, 15, 16, 17, 31, 32, 33, 5_000, 16_336, 16_337, 200_000])(
    'at a length of %d bytes',
    (length) => {
      const value = 'abcdefghijklmnopqrstuvwxyz'.repeat(8_000).slice(0, length)
      const person = sealer.person(keys, 'lengths', TIME)
      const sealed = sealer.seal(person, fieldAt(0, 'f'), value)
      expect(openAll(keys, person.keyLink, [[0, 'f', sealed]])).toEqual([{ kind: 'opened', value }])
    },
  )

  test.each(['\uFEFFmark', '\uFFFD', 'nul\0nul', '\u{1F600}', 'é', 'e\u0301'])(
    'for %j',
    (value) => {
      const person = sealer.person(keys, value, TIME)
      const sealed = sealer.seal(person, fieldAt(0, value), value)
      expect(openAll(keys, person.keyLink, [[0, value, sealed]])).toEqual([
        { kind: 'opened', value },
      ])
    },
  )

  test('a value that looks sealed is sealed once more', () => {
    const person = sealer.person(keys, 'looks sealed', TIME)
    const once = sealer.seal(person, fieldAt(0, 'f'), 'value')
    const twice = sealer.seal(person, fieldAt(0, 'f'), once)
    expect(twice).not.toBe(once)
    expect(openAll(keys, person.keyLink, [[0, 'f', twice]])).toEqual([
      { kind: 'opened', value: once },
    ])
  })
})

describe('opening', () => {
  const keys = madeKeys('answers', TIME.era)
  const person = createSealer({ entriesMax: 50 }).person(keys, 'anna', TIME)
  const sealer = createSealer({ entriesMax: 50 })
  const text = (level: number) => sealer.seal(person, fieldAt(level, 'f'), 'value')
  const fields: [number, string, string][] = [0, 1, 2, 3].map((level) => [level, 'f', text(level)])

  test('says erased of every level of a person that was erased', () => {
    const kinds = openAll(forget(keys, 'anna'), person.keyLink, fields).map(({ kind }) => kind)
    expect(kinds).toEqual(['erased', 'erased', 'erased', 'erased'])
  })

  test('says erased of the levels alone whose consent was withdrawn', () => {
    const after = forget(keys, 'anna', [2, 3])
    const kinds = openAll(after, person.keyLink, fields).map(({ kind }) => kind)
    expect(kinds).toEqual(['opened', 'opened', 'erased', 'erased'])
    expect(sealer.person(after, 'anna', TIME).uuid).not.toBe(person.uuid)
  })

  test('says unknown while a level, a part of the tree or the label is missing', () => {
    const digit = linkDigits(person.link).charAt(0)
    const siblings = DIGITS.filter((other) => other !== digit)
    const tree = createTree(siblings.map((other) => [other, Buffer.alloc(0)]))
    const noLevel = { ...keys, levelKey: () => undefined }
    expect(openAll(noLevel, person.keyLink, fields.slice(0, 1))).toEqual([{ kind: 'unknown' }])
    expect(openAll(withTree(keys, tree), person.keyLink, fields.slice(0, 1))).toEqual([
      { kind: 'unknown' },
    ])
    const opener = createOpener({ entriesMax: 50 })
    expect(opener.person({ ...keys, label: undefined }, person.keyLink, TIME)).toBe('unknown')
  })

  test('says corrupt of a text of no valid form, erased or unknown as its key may be', () => {
    const noLevel = { ...keys, levelKey: () => undefined }
    for (const state of [forget(keys, 'anna'), noLevel, keys]) {
      for (const bad of ['', 'plain text', `${text(0)}\n`, text(0).slice(4)]) {
        expect(refusalOf(() => openAll(state, person.keyLink, [[0, 'f', bad]]))).toEqual(CORRUPT)
      }
    }
  })

  test('works without the link, which output never has', () => {
    const opened = openAll({ ...keys, link: undefined }, person.keyLink, fields.slice(0, 1))
    expect(opened).toEqual([{ kind: 'opened', value: 'value' }])
  })
})

describe('sealing', () => {
  const keys = madeKeys('sealing', TIME.era)
  const refusal = (part: string, period = 'era 591') => ({
    code: 'fieldcrypt.key_unavailable',
    message: `key record ${part} of stream sealing, ${period}, is not available`,
  })

  test('is refused while a part is missing', () => {
    const sealer = createSealer({ entriesMax: 50 })
    const person = (some: EraKeys) => sealer.person(some, 'anna', TIME)
    expect(refusalOf(() => person({ ...keys, link: undefined }))).toEqual(
      refusal('link', 'term 49'),
    )
    expect(refusalOf(() => person({ ...keys, label: undefined }))).toEqual(refusal('label'))
    expect(refusalOf(() => person(withTree(keys, createTree([]))))).toEqual(
      refusal('tree', 'term 49'),
    )
    const whole = person(keys)
    expect(refusalOf(() => sealer.seal(whole, fieldAt(9, 'f'), 'value'))).toEqual(
      refusal('level.9'),
    )
  })

  test('takes a level into use as soon as its part is there', () => {
    const sealer = createSealer({ entriesMax: 50 })
    let late: EraKeys['levelKey'] = () => undefined
    const person = sealer.person({ ...keys, levelKey: (level) => late(level) }, 'anna', TIME)
    expect(refusalOf(() => sealer.seal(person, fieldAt(1, 'f'), 'value'))).toEqual(
      refusal('level.1'),
    )
    late = keys.levelKey
    expect(sealer.seal(person, fieldAt(1, 'f'), 'value')).toBe(
      sealer.seal(sealer.person(keys, 'anna', TIME), fieldAt(1, 'f'), 'value'),
    )
  })

  test('refuses lone surrogates, in the key field value and in the value', () => {
    const sealer = createSealer({ entriesMax: 50 })
    const person = sealer.person(keys, 'anna', TIME)
    const notWellFormed = {
      code: 'fieldcrypt.not_well_formed',
      message: 'a value is not well-formed Unicode',
    }
    expect(refusalOf(() => sealer.person(keys, '\ud800', TIME))).toEqual(notWellFormed)
    expect(refusalOf(() => sealer.seal(person, fieldAt(1, 'f'), 'a\udc00b'))).toEqual(notWellFormed)
  })

  test('and opening refuse the keys of another era', () => {
    const nextEra = keyTimeOf(NOW_MS + 32 * DAY_MS, DAY_MS)
    const sealer = createSealer({ entriesMax: 50 })
    const opener = createOpener({ entriesMax: 50 })
    expect(() => sealer.person(keys, 'anna', nextEra)).toThrow(RangeError)
    expect(() => opener.person(keys, Buffer.alloc(16), nextEra)).toThrow(RangeError)
  })

  test('leaves nothing of a key in what a log would show of a person', () => {
    const sealer = createSealer({ entriesMax: 50 })
    const person = sealer.person(keys, 'anna', TIME)
    sealer.seal(person, fieldAt(1, 'f'), 'value')
    for (const shown of [JSON.stringify(person), inspect(person, { depth: 9, showHidden: true })]) {
      expect(shown).not.toMatch(/Schedule|checkValue|levelKey|#keys|anna/)
    }
  })
})
