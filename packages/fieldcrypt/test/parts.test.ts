// Wrapped key records have the bytes of the vector. A value can be unwrapped only with its own record key and its own
// wrapping key.
import { createSecretKey } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import {
  levelOfPart,
  levelPart,
  makeEraParts,
  makePart,
  keyNameOfPart,
  keyVersionOf,
  suffixOfPart,
  termKeys,
  treePart,
  unwrapPart,
  wrapPart,
} from '../src/index.ts'
import { refusalOf } from './support/errors.ts'
import { madeKeys, seededBytes } from './support/made-keys.ts'
import { hex, keysV2, treeBytes } from './support/vectors.ts'

const { record } = keysV2
const wrapping = {
  keyVersion: record.ringVersion,
  wrappingKey: createSecretKey(hex(record.ringKey)),
  recordKey: record.key,
}
const value = hex(record.value)
const refused = (recordKey: string) => ({
  code: 'fieldcrypt.record_unreadable',
  message: `record ${recordKey} cannot be decrypted`,
})

describe('a wrapped part', () => {
  test('has the bytes of the vector, and opens', () => {
    expect(wrapPart({ ...wrapping, plain: treeBytes, nonce: hex(record.nonce) })).toEqual(value)
    expect(keyVersionOf(value)).toBe(record.ringVersion)
    expect(unwrapPart({ ...wrapping, value })).toEqual(treeBytes)
  })

  test('has another nonce each time when none is given', () => {
    const [one, two] = [
      wrapPart({ ...wrapping, plain: treeBytes }),
      wrapPart({ ...wrapping, plain: treeBytes }),
    ]
    expect(one).not.toEqual(two)
    expect(unwrapPart({ ...wrapping, value: one })).toEqual(treeBytes)
    expect(unwrapPart({ ...wrapping, value: two })).toEqual(treeBytes)
  })

  test('does not open under another wrapping key', () => {
    const wrappingKey = createSecretKey(Buffer.alloc(32, 1))
    expect(refusalOf(() => unwrapPart({ ...wrapping, wrappingKey, value }))).toEqual(
      refused(record.key),
    )
  })

  test('does not open as another record', () => {
    const recordKey = record.key.replace('/t49/', '/t50/')
    expect(refusalOf(() => unwrapPart({ ...wrapping, recordKey, value }))).toEqual(
      refused(recordKey),
    )
  })

  test('does not open with any bit changed, but for the wrapping key version that chooses the key', () => {
    for (let bit = 0; bit < value.length * 8; bit++) {
      if (bit >> 3 >= 1 && bit >> 3 < 5) continue
      const changed = Buffer.from(value)
      changed.writeUInt8((changed[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3)
      expect(refusalOf(() => unwrapPart({ ...wrapping, value: changed }))).toEqual(
        refused(record.key),
      )
    }
  })

  test('does not open when it is cut off', () => {
    for (let length = 0; length < value.length; length++) {
      const cut = value.subarray(0, length)
      expect(refusalOf(() => unwrapPart({ ...wrapping, value: cut }))).toEqual(refused(record.key))
    }
  })

  test('tells no wrapping key version when it is of no known format', () => {
    for (const bytes of [Buffer.alloc(0), Buffer.of(2, 0, 0, 0, 7), Buffer.of(1, 0, 0, 0)]) {
      expect(refusalOf(() => keyVersionOf(bytes))?.code).toBe('fieldcrypt.record_unreadable')
    }
  })

  test('refuses a nonce of another size', () => {
    const nonce = Buffer.alloc(16)
    expect(() => wrapPart({ ...wrapping, plain: treeBytes, nonce })).toThrow(RangeError)
  })
})

describe('names of parts', () => {
  test('say what a part is and which wrapping key wraps it', () => {
    expect([treePart(''), treePart('31'), levelPart(7)]).toEqual(['tree', 'tree.31', 'level.7'])
    expect(['tree', 'tree.31', 'level.7', 'link'].map(suffixOfPart)).toEqual([
      '',
      '31',
      undefined,
      undefined,
    ])
    expect(['level.0', 'level.255', 'level.256', 'level.01', 'tree'].map(levelOfPart)).toEqual([
      0,
      255,
      undefined,
      undefined,
      undefined,
    ])
    expect(['link', 'label', 'tree', 'tree.0', 'level.3'].map(keyNameOfPart)).toEqual([
      'link',
      'open',
      'open',
      'open',
      'level.3',
    ])
  })

  test('that no part has belong to no wrapping key and cannot be made', () => {
    for (const name of ['', 'tree.', 'tree.4', 'level.', 'level.300', 'links']) {
      const refusal = {
        code: 'fieldcrypt.record_unreadable',
        message: `key record ${name} cannot be decrypted`,
      }
      expect(refusalOf(() => keyNameOfPart(name))).toEqual(refusal)
      expect(refusalOf(() => makePart(name, seededBytes('x')))).toEqual(refusal)
    }
  })
})

test('the first parts of an era are fresh random keys and a tree of one root', () => {
  const parts = makeEraParts([0, 255], seededBytes('era'))
  const sizes = Object.fromEntries([...parts].map(([part, plain]) => [part, plain.length]))
  expect(sizes).toEqual({ link: 96, label: 32, tree: 33, 'level.0': 32, 'level.255': 32 })
  expect(new Set([...parts.values()].map((plain) => plain.toString('hex'))).size).toBe(5)
  expect(parts.get('tree')?.[0]).toBe(0)
})

describe('the part `link`', () => {
  const { link: keys } = madeKeys('subjects', 1)
  if (keys === undefined) throw new Error('made with all parts')

  test('hashes data subjects and seals their links, and gives the link back', () => {
    const link = hex('0123456789abcdef')
    const sealed = keys.sealLink(link)
    expect(keys.subjectHash('anna@example.com')).toHaveLength(16)
    expect(keys.subjectHash('anna@example.com')).not.toEqual(keys.subjectHash('ben@example.com'))
    expect(sealed).toHaveLength(16)
    expect(Buffer.from(keys.openLink(sealed))).toEqual(link)
  })

  test.each(keysV2.subjects)(
    'hashes $subject and seals its link as the vectors have it',
    (example) => {
      const link = Buffer.concat([
        Buffer.alloc(32),
        hex(example.subjectKeyA),
        hex(example.subjectKeyB),
      ])
      const own = termKeys({ streamId: 's', term: 49, trees: [], link }).link
      expect(own?.subjectHash(example.subject).toString('hex')).toBe(example.S)
      expect(own?.sealLink(hex(example.link)).toString('hex')).toBe(example.encryptedLink)
      expect(own && Buffer.from(own.openLink(hex(example.encryptedLink)))).toEqual(
        hex(example.link),
      )
    },
  )

  test('refuses what is not a sealed link', () => {
    for (const sealed of [Buffer.alloc(16), Buffer.alloc(15), Buffer.alloc(0)]) {
      expect(refusalOf(() => keys.openLink(sealed))?.code).toBe('fieldcrypt.corrupt')
    }
    expect(refusalOf(() => keys.subjectHash('\udfff'))?.code).toBe('fieldcrypt.not_well_formed')
  })
})
