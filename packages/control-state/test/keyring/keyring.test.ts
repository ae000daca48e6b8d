import { createSecretKey, randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import {
  linksOf,
  makePart,
  parseKekFile,
  prefixesOf,
  puncture,
  wrapPart,
  wrapRing,
} from '@weir/fieldcrypt'
import type { KekProvider } from '@weir/fieldcrypt'
import { pollUntil } from '@weir/kit'
import { ringKey } from '../../src/keyring/key-forms.ts'
import { createKeys } from '../../src/keyring/keyring.ts'
import type { Keys } from '../../src/keyring/keyring.ts'
import { log } from '../support.ts'

const kek = parseKekFile(`test 1 ${'ab'.repeat(32)}`)
const otherKek = parseKekFile(`test 1 ${'cd'.repeat(32)}`)

const keysWith = (
  mayUse: (ring: string) => boolean = () => true,
  provider: KekProvider = kek,
  more: { openPartsKilobytesMax?: number } = {},
) => createKeys({ kek: provider, log, mayUse, ...more })

async function addRing(keys: Keys, name: string, version = 1): Promise<Buffer> {
  const plain = randomBytes(32)
  keys.apply(ringKey(name, version), await wrapRing(kek, ringKey(name, version), plain))
  return plain
}

function wrapped(recordKey: string, part: string, ring: Buffer, ringVersion = 1): Buffer {
  const plain = makePart(part, randomBytes)
  return wrapPart({ ringVersion, ringKey: createSecretKey(ring), recordKey, plain })
}

async function withEra(
  more: { openPartsKilobytesMax?: number } = {},
): Promise<{ keys: Keys; rings: Record<string, Buffer> }> {
  const keys = keysWith(undefined, undefined, more)
  const rings = {
    link: await addRing(keys, 'link'),
    open: await addRing(keys, 'open'),
    level: await addRing(keys, 'level.1'),
  }
  await keys.rings.settled()
  for (const [part, ring] of [
    ['link', rings.link],
    ['label', rings.open],
    ['tree', rings.open],
    ['level.1', rings.level],
  ] as const)
    keys.apply(`acme/s/7/${part}`, wrapped(`acme/s/7/${part}`, part, ring))
  return { keys, rings }
}

describe('rings', () => {
  test('a ring is usable once it is settled, and the newest version wraps', async () => {
    const keys = keysWith()
    await addRing(keys, 'open', 1)
    const second = await addRing(keys, 'open', 2)
    expect(keys.rings.pending()).not.toEqual([])
    await keys.rings.settled()
    expect(keys.rings.pending()).toEqual([])
    expect(keys.rings.newest('open')?.version).toBe(2)
    expect(keys.rings.newest('open')?.key.export()).toEqual(second)
    keys.apply(ringKey('open', 2), null)
    expect(keys.rings.newest('open')?.version).toBe(1)
  })

  test('a ring that this service may not use is never unwrapped', async () => {
    const keys = keysWith((ring) => ring !== 'link')
    await addRing(keys, 'link')
    await keys.rings.settled()
    expect(keys.rings.newest('link')).toBeUndefined()
    expect(keys.rings.pending()).toEqual([])
  })

  test('a ring that the KEK does not unwrap stays pending, and is stuck after a second, until another one takes its place', async () => {
    const keys = keysWith(undefined, otherKek)
    await addRing(keys, 'open')
    expect(keys.rings.pending()).toEqual([ringKey('open', 1)])
    expect(keys.rings.stuck()).toEqual([])
    const stuck = await pollUntil(() => keys.rings.stuck()[0], { deadlineMs: 60_000 })
    expect(stuck).toBe(ringKey('open', 1))
    const plain = randomBytes(32)
    keys.apply(ringKey('open', 1), await wrapRing(otherKek, ringKey('open', 1), plain))
    await pollUntil(() => keys.rings.newest('open'), { deadlineMs: 60_000 })
    expect([keys.rings.pending(), keys.rings.stuck()]).toEqual([[], []])
    keys.close()
  })
})

describe('eras', () => {
  test('an era opens when its parts are there, and gives the same object until one changes', async () => {
    const { keys, rings } = await withEra()
    const opened = keys.keyring.eraKeys('acme', 's', 7)
    expect(opened?.link).toBeDefined()
    expect(opened?.levelKey(1)).toBeDefined()
    expect(opened?.levelKey(2)).toBeUndefined()
    expect(keys.keyring.eraKeys('acme', 's', 7)).toBe(opened)
    keys.apply('acme/s/7/tree', wrapped('acme/s/7/tree', 'tree', rings['open'] ?? Buffer.of()))
    expect(keys.keyring.eraKeys('acme', 's', 7)).not.toBe(opened)
  })

  test('without its label or its tree an era is unknown, never erased', async () => {
    for (const part of ['label', 'tree']) {
      const { keys } = await withEra()
      keys.apply(`acme/s/7/${part}`, null)
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

  test('an era that was asked for before its ring came opens once the ring is there', async () => {
    const keys = keysWith()
    const open = randomBytes(32)
    for (const part of ['label', 'tree'])
      keys.apply(`acme/s/7/${part}`, wrapped(`acme/s/7/${part}`, part, open))
    expect(keys.keyring.eraKeys('acme', 's', 7)).toBeUndefined()
    keys.apply(ringKey('open', 1), await wrapRing(kek, ringKey('open', 1), open))
    await keys.rings.settled()
    expect(keys.keyring.eraKeys('acme', 's', 7)?.link).toBeUndefined()
  })

  test('keys are listed by stream and prefix, and gone after a tombstone or a clearing', async () => {
    const { keys } = await withEra()
    expect([...keys.keyStore.under('acme/s/7/')].sort()).toEqual(
      ['label', 'level.1', 'link', 'tree'].map((part) => `acme/s/7/${part}`),
    )
    expect([...keys.keyStore.under('acme/s/8/')]).toEqual([])
    keys.apply('acme/s/7/link', null)
    expect(keys.keyStore.get('acme/s/7/link')).toBeUndefined()
    keys.clear()
    expect([...keys.keyStore.under('acme/s/')]).toEqual([])
    expect(keys.rings.newest('open')).toBeUndefined()
  })
})

test('when one part of a tree is written anew, what was opened of the others stays, and keys are other ones', async () => {
  const { keys, rings } = await withEra()
  const before = keys.keyring.eraKeys('acme', 's', 7)
  const node = before?.tree.find('0')
  keys.apply('acme/s/7/tree', wrapped('acme/s/7/tree', 'tree', rings.open ?? Buffer.alloc(0)))
  const after = keys.keyring.eraKeys('acme', 's', 7)
  expect(after).not.toBe(before)
  expect(after?.label).toBe(before?.label)
  expect(after?.tree.find('0')).not.toEqual(node)
  keys.apply('acme/s/7/tree', null)
  expect(keys.keyring.eraKeys('acme', 's', 7)).toBeUndefined()
})

describe('a tree that takes more memory than its opened parts may', () => {
  const digits = '0123456789abcdef'.split('')

  /** In sixteen parts, each with people of its own erased. */
  async function withParts(openPartsKilobytesMax: number) {
    const { keys, rings } = await withEra({ openPartsKilobytesMax })
    const era = keys.keyring.eraKeys('acme', 's', 7)
    if (era === undefined) throw new Error('no keys')
    const links = Array.from({ length: 60 }, (_, index) => linksOf(era, `person-${index}`)).flat()
    const erased = links.flatMap((link) => prefixesOf(link))
    const ringKeyOf = createSecretKey(rings['open'] ?? Buffer.alloc(0))
    const puncturing = (more: readonly string[]): void => {
      const now = keys.keyring.eraKeys('acme', 's', 7)
      if (now === undefined) throw new Error('no keys')
      for (const [suffix, plain] of puncture(now, more).changes) {
        const recordKey = `acme/s/7/tree${suffix === '' ? '' : `.${suffix}`}`
        const value = plain && wrapPart({ ringVersion: 1, ringKey: ringKeyOf, recordKey, plain })
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
          const path = `${digit}123456789abcdef0123`
          expect(found(path)).toEqual(found(path))
          expect(found(path)).toHaveProperty('node')
        }
      }
  })

  test('sees each change of a part at once', async () => {
    const { puncturing, found } = await withParts(64)
    for (const digit of digits) {
      const path = `${digit}123456789abcdef`
      expect(found(path)).toHaveProperty('node')
      puncturing([path])
      expect(found(path)).toBe('erased')
    }
  })
})
