// All steps from a key field value to an encrypted field, byte for byte as in the vectors.
import { describe, expect, test } from '@jest/globals'
import { consentOf } from '../src/consent.ts'
import {
  blockCipher,
  keyLinkInt,
  keyLinkOf,
  keyLinkUuid,
  linkDigits,
  linkOf,
  openKeyLink,
  pathOf,
  sivTail,
} from '../src/derivation.ts'
import { levelKey, siv, walk } from '../src/primitives/primitives.ts'
import { idOf, openText, sealText } from '../src/sealed-text.ts'
import {
  ERA_MS,
  erasOfTerm,
  lastEraOf,
  ROTATION_HOURS,
  keyTimeOf,
  termEndMs,
  termOf,
  termStartMs,
} from '../src/era.ts'
import { CORRUPT, refusalOf } from './support/errors.ts'
import { hex, keysV2, linkKey, perLevel, tree } from './support/vectors.ts'

describe.each(keysV2.cases)(
  '$keyFieldValue at $timestamp, generation $generation, consent $consentLevels',
  (example) => {
    const label = blockCipher(hex(example.labelKey))
    const consent = consentOf(example.consentLevels)
    const link = linkOf(linkKey, example.keyFieldValue, example.generation)
    const keyLink = hex(example.keyLink)

    test('term, era, epoch and consent', () => {
      const { term, era, epoch } = example
      expect(termOf(era)).toBe(term)
      expect(keyTimeOf(example.timestamp, example.rotationMs)).toEqual({ era, epoch })
      expect(consent.bytes.toString('hex')).toBe(example.consent)
    })

    test('link and paths', () => {
      expect(Buffer.from(link).toString('hex')).toBe(example.link)
      for (const [level, path] of perLevel(example.paths))
        expect(pathOf(linkDigits(link), level)).toBe(path)
    })

    test('leaves and SIV keys', () => {
      const leaves = new Map(perLevel(example.leaves))
      const levelKeys = new Map(perLevel(example.levelKeys))
      for (const [level, path] of perLevel(example.paths)) {
        const stored = tree.find(path)
        if (typeof stored === 'string') throw new Error('the tree is whole')
        const leaf = walk(stored.node, path.slice(stored.digits))
        expect(Buffer.from(leaf).toString('hex')).toBe(leaves.get(level))
      }
      for (const [level, sivKey] of perLevel(example.sivKeys)) {
        const key = levelKey(hex(levelKeys.get(level) ?? ''))
        const node = hex(leaves.get(level) ?? '')
        const tail = sivTail({ epoch: example.epoch, consent })
        expect(key.sivKey({ node, digits: '', tail }).toString('hex')).toBe(sivKey)
      }
    })

    test('keyLink, its two forms in an event, and back', () => {
      expect(keyLinkOf(label, link, example.epoch)).toEqual(keyLink)
      expect(keyLinkUuid(keyLink)).toBe(example.keyLinkUuid)
      expect(keyLinkInt(keyLink)).toBe(example.keyLinkInt)
      expect(Buffer.from(openKeyLink(label, keyLink, example.epoch))).toEqual(Buffer.from(link))
    })

    test('encrypted fields', () => {
      const sivKeys = new Map(perLevel(example.sivKeys))
      for (const { level, field, plain, encrypted } of example.fields) {
        const cipher = siv.add(hex(sivKeys.get(level) ?? ''))
        const of = { cipher, path: field, id: idOf(keyLink) }
        expect(sealText(of, plain)).toBe(encrypted)
        expect(openText(of, encrypted)).toBe(plain)
      }
    })
  },
)

describe('a keyLink', () => {
  const [example] = keysV2.cases
  const label = blockCipher(hex(example?.labelKey ?? ''))
  const keyLink = hex(example?.keyLink ?? '')
  const epoch = example?.epoch ?? 0

  test('of another epoch, another label or another length is refused', () => {
    const otherLabel = blockCipher(Buffer.alloc(32, 1))
    expect(refusalOf(() => openKeyLink(label, keyLink, epoch + 1))).toEqual(CORRUPT)
    expect(refusalOf(() => openKeyLink(otherLabel, keyLink, epoch))).toEqual(CORRUPT)
    expect(refusalOf(() => openKeyLink(label, keyLink.subarray(1), epoch))).toEqual(CORRUPT)
    expect(refusalOf(() => openKeyLink(label, Buffer.alloc(0), epoch))).toEqual(CORRUPT)
  })

  test('with any bit changed is refused', () => {
    for (let bit = 0; bit < 128; bit++) {
      const changed = Buffer.from(keyLink)
      changed.writeUInt8((changed[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3)
      expect(refusalOf(() => openKeyLink(label, changed, epoch))).toEqual(CORRUPT)
    }
  })
})

describe('time', () => {
  test.each(ROTATION_HOURS)('with a rotation of %d h no epoch lies in two eras', (hours) => {
    const rotationMs = hours * 3_600_000
    const atEdge = keyTimeOf(591 * ERA_MS, rotationMs)
    const before = keyTimeOf(591 * ERA_MS - 1, rotationMs)
    expect(atEdge).toEqual({ era: 591, epoch: before.epoch + 1 })
    expect(before).toEqual({ era: 590, epoch: before.epoch })
  })

  test('a term is twelve eras', () => {
    expect([termOf(587), termOf(588), termOf(599), termOf(600)]).toEqual([48, 49, 49, 50])
    expect(erasOfTerm(49)).toEqual(expect.arrayContaining([588, 599]))
    expect(new Set(erasOfTerm(49).map(termOf))).toEqual(new Set([49]))
    expect([lastEraOf(49), termStartMs(49), termEndMs(49)]).toEqual([
      599,
      588 * ERA_MS,
      600 * ERA_MS,
    ])
  })

  test.each([-1, Number.NaN, 1e300])('a timestamp of %d is no time', (timestampMs) => {
    expect(refusalOf(() => keyTimeOf(timestampMs, 86_400_000))).toEqual(CORRUPT)
  })
})

test('a key field value with a lone surrogate is refused, as UTF-8 would make one value of two', () => {
  expect(refusalOf(() => linkOf(linkKey, 'a\ud800', 0))).toEqual({
    code: 'fieldcrypt.not_well_formed',
    message: 'a value is not well-formed Unicode',
  })
})

describe('a consent', () => {
  test('is the same whatever the order and the repeats of its levels', () => {
    expect(consentOf([2, 0, 0, 255])).toBe(consentOf([255, 0, 2]))
    expect(consentOf([30, 31]).bytes).toEqual(consentOf([31, 30, 31]).bytes)
    expect(consentOf([0, 1])).not.toBe(consentOf([0]))
  })

  test('of each single level has exactly its bit, from the most significant', () => {
    for (let level = 0; level < 256; level++)
      expect(BigInt(`0x${consentOf([level]).bytes.toString('hex')}`)).toBe(
        1n << BigInt(255 - level),
      )
  })

  test.each([-1, 256, 0.5, Number.NaN, 2 ** 32])('with the level %d is of no event', (level) => {
    expect(refusalOf(() => consentOf([0, level]))).toEqual(CORRUPT)
  })
})
