// Caches affect only the speed. They keep their limits, and drop erased entries immediately.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createOpener, createSealer, eraKeys, keyTimeOf } from '../src/index.ts'
import { siv } from '../src/primitives/primitives.ts'
import { CORRUPT, refusalOf } from './support/errors.ts'
import { madeKeys, seededBytes } from './support/made-keys.ts'
import { DAY_MS, NOW_MS, TODAY, TOMORROW, forget, openWith, fieldAt } from './support/cached.ts'
import type { Sealed } from './support/cached.ts'

describe('with a cache and without', () => {
  const fresh = ['a', 'b'].map((stream) => madeKeys(stream, TODAY.era))
  const who = fc.constantFrom('anna', 'ben', 'x'.repeat(63), 'x'.repeat(64), 'y'.repeat(64), 'é')
  const event = fc.record({
    stream: fc.nat(1),
    who,
    level: fc.nat(3),
    path: fc.constantFrom('f', 'g/h'),
    // repeated values come from the cache
    value: fc.oneof(fc.constantFrom('a', 'b'), fc.string({ unit: 'grapheme', maxLength: 70 })),
    time: fc.constantFrom(TODAY, TODAY, TOMORROW),
  })
  const erasure = fc.record({
    stream: fc.nat(1),
    who,
    levels: fc.option(fc.uniqueArray(fc.nat(3), { minLength: 1 }), { nil: undefined }),
    refreshed: fc.boolean(),
  })
  const steps = fc.array(fc.oneof({ weight: 4, arbitrary: event }, erasure), { maxLength: 25 })

  test('every text is the same and opens to the same, whoever is forgotten in between', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 12 }), (all, entriesMax) => {
        const keys = [...fresh]
        const sealer = createSealer({ entriesMax })
        const opener = createOpener({ entriesMax })
        const past: Sealed[] = []
        for (const step of all) {
          const own = keys[step.stream] ?? madeKeys('c', TODAY.era)
          if ('levels' in step) {
            const after = forget(own, step.who, step.levels)
            keys[step.stream] = after
            if (step.refreshed)
              for (const cache of [sealer, opener]) cache.refresh(after.streamId, () => after)
            continue
          }
          const { stream, level, path, value, time } = step
          const plain = createSealer({ entriesMax: 1 })
          const expected = plain.seal(
            plain.person(own, step.who, time),
            fieldAt(level, path),
            value,
          )
          const person = sealer.person(own, step.who, time)
          const text = sealer.seal(person, fieldAt(level, path), value)
          expect(text).toBe(expected)
          past.push({ stream, keyLink: person.keyLink, time, level, path, text })
          for (const sealed of past) {
            const uncached = openWith(createOpener({ entriesMax: 1 }), keys, sealed)
            expect(openWith(opener, keys, sealed)).toEqual(uncached)
          }
        }
      }),
      { numRuns: 60 },
    )
  })

  test('a person that went while it was held still seals and opens the same', () => {
    const [keys] = fresh
    if (keys === undefined) throw new Error('there are two')
    const sealer = createSealer({ entriesMax: 2 })
    const anna = sealer.person(keys, 'anna', TODAY)
    const before = sealer.seal(anna, fieldAt(1, 'f'), 'value')
    for (let i = 0; i < 10; i++)
      sealer.seal(sealer.person(keys, `${i}`, TODAY), fieldAt(1, 'f'), 'value')
    expect(sealer.seal(anna, fieldAt(1, 'f'), 'value')).toBe(before)
    sealer.clear()
    expect(sealer.seal(anna, fieldAt(1, 'f'), 'value')).toBe(before)
    expect(sealer.size()).toBe(0)
  })

  test('a contract of a hundred fields on one level seals them all alike, twice', () => {
    const [keys] = fresh
    if (keys === undefined) throw new Error('there are two')
    const sealer = createSealer({ entriesMax: 50 })
    const person = sealer.person(keys, 'anna', TODAY)
    const seal = () =>
      Array.from({ length: 100 }, (_, i) => sealer.seal(person, fieldAt(0, `f${i}`), 'v'))
    const first = seal()
    expect(seal()).toEqual(first)
    expect(new Set(first).size).toBe(100)
  })
})

describe('a bound', () => {
  test('holds for people and their levels together', () => {
    const keys = Array.from({ length: 4 }, (_, i) => madeKeys(`stream ${i}`, TODAY.era))
    const sealer = createSealer({ entriesMax: 40 })
    for (let i = 0; i < 400; i++) {
      const own = keys[i % 4]
      if (own === undefined) throw new Error('there are four')
      const person = sealer.person(own, `person ${i}`, TODAY)
      for (let level = 0; level <= i % 4; level++) sealer.seal(person, fieldAt(level, 'f'), 'value')
      expect(sealer.size()).toBeLessThanOrEqual(40)
    }
    expect(sealer.size()).toBeGreaterThan(30)
  })

  test('holds for one person with ever other consents, whose texts stay the same', () => {
    const keys = madeKeys('consents', TODAY.era)
    const [sealer, opener] = [createSealer({ entriesMax: 200 }), createOpener({ entriesMax: 200 })]
    const anna = sealer.person(keys, 'anna', TODAY)
    const reader = opener.person(keys, anna.keyLink, TODAY)
    if (reader === 'unknown') throw new Error('the label is at hand')
    const texts = Array.from({ length: 256 }, (_, level) => {
      const at = fieldAt(0, 'f', [0, level])
      return { at, text: sealer.seal(anna, at, 'value') }
    })
    expect(new Set(texts.map(({ text }) => text)).size).toBe(256)
    for (const { at, text } of texts) {
      expect(sealer.seal(anna, at, 'value')).toBe(text)
      expect(opener.open(reader, at, text)).toEqual({ kind: 'opened', value: 'value' })
    }
    expect([sealer.size(), opener.size()]).toEqual([33, 33])
  })

  test('of half keeps one stream from pushing the others out', () => {
    const [greedy, modest] = [madeKeys('greedy', TODAY.era), madeKeys('modest', TODAY.era)]
    const opener = createOpener({ entriesMax: 100 })
    const sealer = createSealer({ entriesMax: 100 })
    const anna = sealer.person(modest, 'anna', TODAY)
    for (let i = 0; i < 1_000; i++) sealer.person(greedy, `person ${i}`, TODAY)
    expect(sealer.person(modest, 'anna', TODAY)).toBe(anna)
    expect(sealer.size()).toBe(51)
    for (let i = 0; i < 1_000; i++) {
      opener.person(greedy, sealer.person(greedy, `person ${i}`, TODAY).keyLink, TODAY)
    }
    expect(opener.size()).toBe(50)
  })
})

describe('after a change of the tree', () => {
  const keys = madeKeys('changes', TODAY.era)

  test('people who were not meant stay', () => {
    const sealer = createSealer({ entriesMax: 100 })
    const ben = sealer.person(keys, 'ben', TODAY)
    const anna = sealer.person(keys, 'anna', TODAY)
    const after = forget(keys, 'anna')
    expect(sealer.person(after, 'ben', TODAY)).toBe(ben)
    expect(sealer.person(after, 'anna', TODAY)).not.toBe(anna)
  })

  test('they stay when all keys were made anew from the same parts, too', () => {
    const sealer = createSealer({ entriesMax: 100 })
    const ben = sealer.person(keys, 'ben', TODAY)
    expect(sealer.person(madeKeys('changes', TODAY.era), 'ben', TODAY)).toBe(ben)
    const label = seededBytes('another label')(32)
    const term = { ...keys, link: undefined }
    const other = eraKeys(term, { era: TODAY.era, label, level: () => undefined })
    expect(sealer.person({ ...other, link: keys.link }, 'ben', TODAY)).not.toBe(ben)
  })

  test('who was forgotten goes at once, with all levels', () => {
    const sealer = createSealer({ entriesMax: 100 })
    const opener = createOpener({ entriesMax: 100 })
    const anna = sealer.person(keys, 'anna', TODAY)
    const text = sealer.seal(anna, fieldAt(1, 'f'), 'value')
    sealer.seal(sealer.person(keys, 'ben', TODAY), fieldAt(1, 'f'), 'value')
    const sealed = { stream: 0, keyLink: anna.keyLink, time: TODAY, level: 1, path: 'f', text }
    expect(openWith(opener, [keys], sealed)).toEqual({ kind: 'opened', value: 'value' })
    expect([sealer.size(), opener.size()]).toEqual([4, 2])
    const after = forget(keys, 'anna')
    for (const cache of [sealer, opener]) cache.refresh(after.streamId, () => after)
    expect([sealer.size(), opener.size()]).toEqual([2, 0])
    expect(openWith(opener, [after], sealed)).toEqual({ kind: 'erased' })
  })

  test('a withdrawn level goes at once, and no other', () => {
    const sealer = createSealer({ entriesMax: 100 })
    const opener = createOpener({ entriesMax: 100 })
    const anna = sealer.person(keys, 'anna', TODAY)
    const sealed = [0, 1, 2].map((level) => ({
      stream: 0,
      keyLink: anna.keyLink,
      time: TODAY,
      level,
      path: 'f',
      text: sealer.seal(anna, fieldAt(level, 'f'), 'value'),
    }))
    for (const field of sealed) openWith(opener, [keys], field)
    const after = forget(keys, 'anna', [1, 2])
    opener.refresh(after.streamId, () => after)
    expect(opener.size()).toBe(2)
    const kinds = sealed.map((field) => openWith(opener, [after], field).kind)
    expect(kinds).toEqual(['opened', 'erased', 'erased'])
  })

  test('people of other eras and streams are left alone, if their keys are there', () => {
    const nextEra = keyTimeOf(NOW_MS + 32 * DAY_MS, DAY_MS)
    const sealer = createSealer({ entriesMax: 100 })
    const nextKeys = madeKeys('changes', nextEra.era)
    const others = [
      sealer.person(nextKeys, 'ben', nextEra),
      sealer.person(madeKeys('another', TODAY.era), 'anna', TODAY),
    ]
    sealer.person(keys, 'anna', TODAY)
    const after = forget(keys, 'anna')
    sealer.refresh(after.streamId, (era) => (era === nextEra.era ? nextKeys : after))
    expect(sealer.size()).toBe(others.length)
    sealer.refresh(after.streamId, () => undefined)
    expect(sealer.size()).toBe(1)
  })
})

test('what a stream that is gone has left in a cache goes when it is told', () => {
  const sealer = createSealer({ entriesMax: 100 })
  for (const stream of ['gone', 'stays']) {
    const person = sealer.person(madeKeys(stream, TODAY.era), 'anna', TODAY)
    sealer.seal(person, fieldAt(0, 'f'), 'value')
  }
  sealer.forget('gone')
  expect(sealer.size()).toBe(2)
  sealer.forget('never there')
  expect(sealer.size()).toBe(2)
})

test('a keyLink that does not check out is not remembered', () => {
  const opener = createOpener({ entriesMax: 100 })
  const keys = madeKeys('forged', TODAY.era)
  const keyLink = Buffer.alloc(16, 7)
  for (let i = 0; i < 3; i++) {
    expect(refusalOf(() => opener.person(keys, keyLink, TODAY))).toEqual(CORRUPT)
  }
  expect(opener.size()).toBe(0)
})

test('a keyLink that is kept is refused for another epoch all the same', () => {
  const opener = createOpener({ entriesMax: 100 })
  const keys = madeKeys('epochs', TODAY.era)
  const { keyLink } = createSealer({ entriesMax: 100 }).person(keys, 'anna', TODAY)
  const kept = opener.person(keys, keyLink, TODAY)
  expect(refusalOf(() => opener.person(keys, keyLink, TOMORROW))).toEqual(CORRUPT)
  expect(opener.person(keys, keyLink, TODAY)).toBe(kept)
})

test('a person that was evicted still decrypts, and takes no more memory each time', () => {
  const keys = madeKeys('evicted', TODAY.era)
  const sealer = createSealer({ entriesMax: 4 })
  const anna = sealer.person(keys, 'anna', TODAY)
  const consents = Array.from({ length: 50 }, (_, level) => [0, level + 1])
  const texts = () => consents.map((consent) => sealer.seal(anna, fieldAt(0, 'f', consent), 'a'))
  const before = texts()
  for (const who of ['ben', 'carl', 'dora']) sealer.person(keys, who, TODAY)
  expect(texts()).toEqual(before)
  const nextPlaces = () => {
    const places = [1, 2, 3].map((byte) => siv.add(Buffer.alloc(64, byte)))
    for (const place of places) siv.wipe(place)
    return places
  }
  const places = nextPlaces()
  texts()
  expect(new Set(nextPlaces())).toEqual(new Set(places))
})
