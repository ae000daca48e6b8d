import { createSecretKey, randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import {
  linksOf,
  makePart,
  parseKekFile,
  prefixesOf,
  puncture,
  wrapPart,
  wrapByKek,
} from '@weir/fieldcrypt'
import type { KekProvider } from '@weir/fieldcrypt'
import { pollUntil } from '@weir/kit'
import { wrappingKeyId } from '../../src/keyring/key-forms.ts'
import { createKeys } from '../../src/keyring/keyring.ts'
import type { Keys } from '../../src/keyring/keyring.ts'
import { log } from '../support.ts'

const kek = parseKekFile(`test 1 ${'ab'.repeat(32)}`)
const otherKek = parseKekFile(`test 1 ${'cd'.repeat(32)}`)

const keysWith = (
  mayUse: (keyName: string) => boolean = () => true,
  provider: KekProvider = kek,
  more: { openPartsKilobytesMax?: number } = {},
) => createKeys({ kek: provider, log, mayUse, ...more })

async function addWrappingKey(keys: Keys, name: string, version = 1): Promise<Buffer> {
  const plain = randomBytes(32)
  keys.apply(
    wrappingKeyId(name, version),
    await wrapByKek(kek, wrappingKeyId(name, version), plain),
  )
  return plain
}

function wrapped(recordKey: string, part: string, wrappingKey: Buffer, keyVersion = 1): Buffer {
  const plain = makePart(part, randomBytes)
  return wrapPart({
    keyVersion,
    wrappingKey: createSecretKey(wrappingKey),
    recordKey,
    plain,
  })
}

/** Returns the record key of a key record of era 7, or of its term. */
const keyOf = (part: string): string =>
  /^(link|tree)/.test(part) ? `acme/s/t0/${part}` : `acme/s/7/${part}`

async function withEra(
  more: { openPartsKilobytesMax?: number } = {},
): Promise<{ keys: Keys; wrappingKeys: Record<string, Buffer> }> {
  const keys = keysWith(undefined, undefined, more)
  const wrappingKeys = {
    link: await addWrappingKey(keys, 'link'),
    open: await addWrappingKey(keys, 'open'),
    level: await addWrappingKey(keys, 'level.1'),
  }
  await keys.wrappingKeys.settled()
  for (const [part, wrappingKey] of [
    ['link', wrappingKeys.link],
    ['label', wrappingKeys.open],
    ['tree', wrappingKeys.open],
    ['level.1', wrappingKeys.level],
  ] as const)
    keys.apply(keyOf(part), wrapped(keyOf(part), part, wrappingKey))
  return { keys, wrappingKeys }
}

describe('wrapping keys', () => {
  test('a wrapping key is usable once it is settled, and the newest version wraps', async () => {
    const keys = keysWith()
    await addWrappingKey(keys, 'open', 1)
    const second = await addWrappingKey(keys, 'open', 2)
    expect(keys.wrappingKeys.pending()).not.toEqual([])
    await keys.wrappingKeys.settled()
    expect(keys.wrappingKeys.pending()).toEqual([])
    expect(keys.wrappingKeys.newest('open')?.version).toBe(2)
    expect(keys.wrappingKeys.newest('open')?.key.export()).toEqual(second)
    keys.apply(wrappingKeyId('open', 2), null)
    expect(keys.wrappingKeys.newest('open')?.version).toBe(1)
  })

  test('a wrapping key that this service may not use is never unwrapped', async () => {
    const keys = keysWith((keyName) => keyName !== 'link')
    await addWrappingKey(keys, 'link')
    await keys.wrappingKeys.settled()
    expect(keys.wrappingKeys.newest('link')).toBeUndefined()
    expect(keys.wrappingKeys.pending()).toEqual([])
  })

  test('a wrapping key that the KEK does not unwrap stays pending, and is stuck after a second, until another one takes its place', async () => {
    const keys = keysWith(undefined, otherKek)
    await addWrappingKey(keys, 'open')
    expect(keys.wrappingKeys.pending()).toEqual([wrappingKeyId('open', 1)])
    expect(keys.wrappingKeys.stuck()).toEqual([])
    const stuck = await pollUntil(() => keys.wrappingKeys.stuck()[0], { deadlineMs: 60_000 })
    expect(stuck).toBe(wrappingKeyId('open', 1))
    const plain = randomBytes(32)
    keys.apply(wrappingKeyId('open', 1), await wrapByKek(otherKek, wrappingKeyId('open', 1), plain))
    await pollUntil(() => keys.wrappingKeys.newest('open'), { deadlineMs: 60_000 })
    expect([keys.wrappingKeys.pending(), keys.wrappingKeys.stuck()]).toEqual([[], []])
    keys.close()
  })
})

describe('eras', () => {
  test('an era opens when its parts are there, and gives the same object until one changes', async () => {
    const { keys, wrappingKeys } = await withEra()
    const opened = keys.keyring.eraKeys('acme', 's', 7)
    expect(opened?.link).toBeDefined()
    expect(opened?.levelKey(1)).toBeDefined()
    expect(opened?.levelKey(2)).toBeUndefined()
    expect(keys.keyring.eraKeys('acme', 's', 7)).toBe(opened)
    keys.apply(
      'acme/s/t0/tree',
      wrapped('acme/s/t0/tree', 'tree', wrappingKeys['open'] ?? Buffer.of()),
    )
    expect(keys.keyring.eraKeys('acme', 's', 7)).not.toBe(opened)
  })

  test('without its label or its tree an era is unknown, never erased', async () => {
    for (const part of ['label', 'tree']) {
      const { keys } = await withEra()
      keys.apply(keyOf(part), null)
      expect(keys.keyring.eraKeys('acme', 's', 7)).toBeUndefined()
    }
  })

  test('a part that cannot be opened is unknown, and whoever opens it by name is told', async () => {
    const { keys } = await withEra()
    const alien = wrapped('acme/s/7/label', 'label', randomBytes(32))
    keys.apply('acme/s/7/label', alien)
    expect(keys.keyring.eraKeys('acme', 's', 7)).toBeUndefined()
    expect(() => keys.keyring.open('acme/s/7/label', 'open')).toThrow(
      expect.objectContaining({ code: 'fieldcrypt.record_unreadable' }),
    )
  })

  test('an era that was asked for before its wrapping key came opens once that is there', async () => {
    const keys = keysWith()
    const open = randomBytes(32)
    for (const part of ['label', 'tree']) keys.apply(keyOf(part), wrapped(keyOf(part), part, open))
    expect(keys.keyring.eraKeys('acme', 's', 7)).toBeUndefined()
    keys.apply(wrappingKeyId('open', 1), await wrapByKek(kek, wrappingKeyId('open', 1), open))
    await keys.wrappingKeys.settled()
    expect(keys.keyring.eraKeys('acme', 's', 7)?.link).toBeUndefined()
  })

  test('keys are listed by stream and prefix, and gone after a tombstone or a clearing', async () => {
    const { keys } = await withEra()
    expect([...keys.keyStore.under('acme/s/7/')].sort()).toEqual(['label', 'level.1'].map(keyOf))
    expect([...keys.keyStore.under('acme/s/t')].sort()).toEqual(['link', 'tree'].map(keyOf))
    expect([...keys.keyStore.under('acme/s/8/')]).toEqual([])
    keys.apply('acme/s/t0/link', null)
    expect(keys.keyStore.get('acme/s/t0/link')).toBeUndefined()
    keys.clear()
    expect([...keys.keyStore.under('acme/s/')]).toEqual([])
    expect(keys.wrappingKeys.newest('open')).toBeUndefined()
  })
})

test('eras of one term share its tree, and each era has its own label', async () => {
  const { keys, wrappingKeys } = await withEra()
  for (const era of [0, 11, 12])
    keys.apply(
      `acme/s/${era}/label`,
      wrapped(`acme/s/${era}/label`, 'label', wrappingKeys['open'] ?? Buffer.of()),
    )
  const [first, seventh, last] = [0, 7, 11].map((era) => keys.keyring.eraKeys('acme', 's', era))
  expect([first?.tree, last?.tree]).toEqual([seventh?.tree, seventh?.tree])
  expect(new Set([first, seventh, last].map((one) => one?.label?.checkValue)).size).toBe(3)
  expect(keys.keyring.termKeys('acme', 's', 0)?.tree).toBe(first?.tree)
  expect(keys.keyring.eraKeys('acme', 's', 12)).toBeUndefined() // the next term has no tree yet
})

test('when one part of a tree is written anew, what was opened of the others stays, and keys are other ones', async () => {
  const { keys, wrappingKeys } = await withEra()
  const before = keys.keyring.eraKeys('acme', 's', 7)
  const node = before?.tree.find('0')
  keys.apply(
    'acme/s/t0/tree',
    wrapped('acme/s/t0/tree', 'tree', wrappingKeys.open ?? Buffer.alloc(0)),
  )
  const after = keys.keyring.eraKeys('acme', 's', 7)
  expect(after).not.toBe(before)
  expect(after?.label).toBe(before?.label)
  expect(after?.tree.find('0')).not.toEqual(node)
  keys.apply('acme/s/t0/tree', null)
  expect(keys.keyring.eraKeys('acme', 's', 7)).toBeUndefined()
})

describe('a tree that takes more memory than its opened parts may', () => {
  const digits = Array.from({ length: 16 }, (_, index) => index.toString(4).padStart(2, '0'))

  /** Creates a keyring whose tree has several key records, with erased people in each. */
  async function withParts(openPartsKilobytesMax: number) {
    const { keys, wrappingKeys } = await withEra({ openPartsKilobytesMax })
    const era = keys.keyring.eraKeys('acme', 's', 7)
    if (era === undefined) throw new Error('no keys')
    const links = Array.from({ length: 60 }, (_, index) => linksOf(era, `person-${index}`)).flat()
    const erased = links.flatMap((link) => prefixesOf(link))
    const openWrappingKey = createSecretKey(wrappingKeys['open'] ?? Buffer.alloc(0))
    const puncturing = (more: readonly string[]): void => {
      const now = keys.keyring.eraKeys('acme', 's', 7)
      if (now === undefined) throw new Error('no keys')
      for (const [suffix, plain] of puncture(now, more).changes) {
        const recordKey = `acme/s/t0/tree${suffix === '' ? '' : `.${suffix}`}`
        const value =
          plain && wrapPart({ keyVersion: 1, wrappingKey: openWrappingKey, recordKey, plain })
        keys.apply(recordKey, value ?? null)
      }
    }
    puncturing(erased)
    const found = (path: string) => keys.keyring.eraKeys('acme', 's', 7)?.tree.find(path)
    return { erased, puncturing, found }
  }

  test('finds the same, whatever was opened before', async () => {
    const [all, few] = [await withParts(65_536), await withParts(64)]
    for (const { erased, found } of [all, few])
      for (let round = 0; round < 3; round += 1) {
        expect(new Set(erased.map(found))).toEqual(new Set(['erased']))
        for (const digit of digits) {
          const path = `${digit}12301230123012301230123012301230123`.slice(0, 36)
          expect(found(path)).toEqual(found(path))
          expect(found(path)).toHaveProperty('node')
        }
      }
  })

  test('sees each change of a part at once', async () => {
    const { puncturing, found } = await withParts(64)
    for (const digit of digits) {
      const path = `${digit}1230123012301230123012301230123`.slice(0, 32)
      expect(found(path)).toHaveProperty('node')
      puncturing([path])
      expect(found(path)).toBe('erased')
    }
  })
})
