// Every value between a key field value and an encrypted field, byte for byte.
import { createSecretKey } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { expandSivKey, adStateOf } from '../src/aes-siv.ts'
import {
  blockCipher,
  keyLinkInt,
  keyLinkOf,
  keyLinkUuid,
  linkDigits,
  linkOf,
  openKeyLink,
  pathOf,
  sivKeyOf,
} from '../src/derivation.ts'
import { walk } from '../src/tree/node-hash.ts'
import { idOf, openText, sealText } from '../src/sealed-text.ts'
import { ERA_MS, ROTATION_HOURS, keyTimeOf } from '../src/era.ts'
import { CORRUPT, refusalOf } from './support/errors.ts'
import { hex, keysV1, levelKeyBytes, linkKey, perLevel, tree } from './support/vectors.ts'

const label = blockCipher(hex(keysV1.keys.labelKey))

describe.each(keysV1.cases)('$keyFieldValue at $timestamp, generation $generation', (example) => {
  const link = linkOf(linkKey, example.keyFieldValue, example.generation)
  const keyLink = hex(example.keyLink)

  test('era, epoch and slot', () => {
    const { era, epoch, slot } = example
    expect(keyTimeOf(example.timestamp, example.rotationMs)).toEqual({ era, epoch, slot })
  })

  test('link and paths', () => {
    expect(linkDigits(link)).toBe(example.link)
    for (const [level, path] of perLevel(example.paths)) {
      expect(pathOf(linkDigits(link), level, example.slot)).toBe(path)
    }
  })

  test('leaves and SIV keys', () => {
    const leaves = new Map(perLevel(example.leaves))
    for (const [level, path] of perLevel(example.paths)) {
      const stored = tree.find(path)
      if (typeof stored === 'string') throw new Error('the tree is whole')
      const leaf = walk(stored.node, path.slice(stored.digits))
      expect(Buffer.from(leaf).toString('hex')).toBe(leaves.get(level))
    }
    for (const [level, sivKey] of perLevel(example.sivKeys)) {
      const levelKey = createSecretKey(levelKeyBytes(level) ?? Buffer.alloc(0))
      expect(sivKeyOf(levelKey, hex(leaves.get(level) ?? '')).toString('hex')).toBe(sivKey)
    }
  })

  test('keyLink, its two forms in an event, and back', () => {
    expect(keyLinkOf(label, link, example.epoch)).toEqual(keyLink)
    expect(keyLinkUuid(keyLink)).toBe(example.keyLinkUuid)
    expect(keyLinkInt(keyLink)).toBe(example.keyLinkInt)
    expect(linkDigits(openKeyLink(label, keyLink, example.epoch))).toBe(example.link)
  })

  test('sealed fields', () => {
    const sivKeys = new Map(perLevel(example.sivKeys))
    for (const { level, field, plain, sealed } of example.fields) {
      const key = expandSivKey(hex(sivKeys.get(level) ?? ''))
      const ad = adStateOf(key, [field])
      expect(sealText(key, ad, idOf(keyLink), plain)).toBe(sealed)
      expect(openText(key, ad, idOf(keyLink), sealed)).toBe(plain)
    }
  })
})

describe('a keyLink', () => {
  const [example] = keysV1.cases
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
    expect(atEdge).toEqual({ era: 591, epoch: before.epoch + 1, slot: 0 })
    expect(before).toEqual({ era: 590, epoch: before.epoch, slot: ERA_MS / rotationMs - 1 })
    expect(before.slot).toBeLessThan(0x1000)
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
