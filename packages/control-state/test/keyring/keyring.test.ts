import { createSecretKey, randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { makePart, parseKekFile, wrapPart, wrapRing } from '@weir/fieldcrypt'
import type { KekProvider } from '@weir/fieldcrypt'
import { pollUntil } from '@weir/kit'
import { createKeyring, ringKey } from '../../src/keyring/keyring.ts'
import { log } from '../support.ts'

const kek = parseKekFile(`test 1 ${'ab'.repeat(32)}`)
const otherKek = parseKekFile(`test 1 ${'cd'.repeat(32)}`)

const keyringWith = (mayUse: (ring: string) => boolean = () => true, provider: KekProvider = kek) =>
  createKeyring({ kek: provider, log, mayUse })

type Keyring = ReturnType<typeof keyringWith>

async function addRing(keyring: Keyring, name: string, version = 1): Promise<Buffer> {
  const plain = randomBytes(32)
  keyring.apply(ringKey(name, version), await wrapRing(kek, ringKey(name, version), plain))
  return plain
}

function wrapped(recordKey: string, part: string, ring: Buffer, ringVersion = 1): Buffer {
  const plain = makePart(part, randomBytes)
  return wrapPart({ ringVersion, ringKey: createSecretKey(ring), recordKey, plain })
}

async function withEra(): Promise<{ keyring: Keyring; rings: Record<string, Buffer> }> {
  const keyring = keyringWith()
  const rings = {
    link: await addRing(keyring, 'link'),
    open: await addRing(keyring, 'open'),
    level: await addRing(keyring, 'level.1'),
  }
  await keyring.ringsSettled()
  for (const [part, ring] of [
    ['link', rings.link],
    ['label', rings.open],
    ['tree', rings.open],
    ['level.1', rings.level],
  ] as const)
    keyring.apply(`acme/s/7/${part}`, wrapped(`acme/s/7/${part}`, part, ring))
  return { keyring, rings }
}

describe('rings', () => {
  test('a ring is usable once it is settled, and the newest version wraps', async () => {
    const keyring = keyringWith()
    await addRing(keyring, 'open', 1)
    const second = await addRing(keyring, 'open', 2)
    expect(keyring.pendingRings()).not.toEqual([])
    await keyring.ringsSettled()
    expect(keyring.pendingRings()).toEqual([])
    expect(keyring.newestRing('open')?.version).toBe(2)
    expect(keyring.newestRing('open')?.key.export()).toEqual(second)
    keyring.apply(ringKey('open', 2), null)
    expect(keyring.newestRing('open')?.version).toBe(1)
  })

  test('a ring that this service may not use is never unwrapped', async () => {
    const keyring = keyringWith((ring) => ring !== 'link')
    await addRing(keyring, 'link')
    await keyring.ringsSettled()
    expect(keyring.newestRing('link')).toBeUndefined()
    expect(keyring.pendingRings()).toEqual([])
  })

  test('a ring that the KEK does not unwrap stays pending, until another one takes its place', async () => {
    const keyring = keyringWith(undefined, otherKek)
    await addRing(keyring, 'open')
    expect(keyring.pendingRings()).toEqual([ringKey('open', 1)])
    const plain = randomBytes(32)
    keyring.apply(ringKey('open', 1), await wrapRing(otherKek, ringKey('open', 1), plain))
    await pollUntil(() => keyring.newestRing('open'), { deadlineMs: 5_000 })
    expect(keyring.pendingRings()).toEqual([])
    keyring.close()
  })
})

describe('eras', () => {
  test('an era opens when its parts are there, and gives the same object until one changes', async () => {
    const { keyring, rings } = await withEra()
    const keys = keyring.eraKeys('acme', 's', 7)
    expect(keys?.link).toBeDefined()
    expect(keys?.levelKey(1)).toBeDefined()
    expect(keys?.levelKey(2)).toBeUndefined()
    expect(keyring.eraKeys('acme', 's', 7)).toBe(keys)
    keyring.apply('acme/s/7/tree', wrapped('acme/s/7/tree', 'tree', rings['open'] ?? Buffer.of()))
    expect(keyring.eraKeys('acme', 's', 7)).not.toBe(keys)
  })

  test('without its label or its tree an era is unknown, never erased', async () => {
    for (const part of ['label', 'tree']) {
      const { keyring } = await withEra()
      keyring.apply(`acme/s/7/${part}`, null)
      expect(keyring.eraKeys('acme', 's', 7)).toBeUndefined()
    }
  })

  test('a part that cannot be opened is unknown, and whoever opens it by name is told', async () => {
    const { keyring } = await withEra()
    const alien = wrapped('acme/s/7/label', 'label', randomBytes(32))
    keyring.apply('acme/s/7/label', alien)
    expect(keyring.eraKeys('acme', 's', 7)).toBeUndefined()
    expect(() => keyring.open('acme/s/7/label', 'open')).toThrow(
      expect.objectContaining({ code: 'fieldcrypt.record_unreadable' }),
    )
  })

  test('an era that was asked for before its ring came opens once the ring is there', async () => {
    const keyring = keyringWith()
    const open = randomBytes(32)
    for (const part of ['label', 'tree'])
      keyring.apply(`acme/s/7/${part}`, wrapped(`acme/s/7/${part}`, part, open))
    expect(keyring.eraKeys('acme', 's', 7)).toBeUndefined()
    keyring.apply(ringKey('open', 1), await wrapRing(kek, ringKey('open', 1), open))
    await keyring.ringsSettled()
    expect(keyring.eraKeys('acme', 's', 7)?.link).toBeUndefined()
  })

  test('keys are listed by stream and prefix, and gone after a tombstone or a clearing', async () => {
    const { keyring } = await withEra()
    expect([...keyring.under('acme/s/7/')].sort()).toEqual(
      ['label', 'level.1', 'link', 'tree'].map((part) => `acme/s/7/${part}`),
    )
    expect([...keyring.under('acme/s/8/')]).toEqual([])
    keyring.apply('acme/s/7/link', null)
    expect(keyring.get('acme/s/7/link')).toBeUndefined()
    keyring.clear()
    expect([...keyring.under('acme/s/')]).toEqual([])
    expect(keyring.newestRing('open')).toBeUndefined()
  })
})

test('when one part of a tree is written anew, what was opened of the others stays, and keys are other ones', async () => {
  const { keyring, rings } = await withEra()
  const before = keyring.eraKeys('acme', 's', 7)
  const node = before?.tree.find('0')
  keyring.apply('acme/s/7/tree', wrapped('acme/s/7/tree', 'tree', rings.open ?? Buffer.alloc(0)))
  const after = keyring.eraKeys('acme', 's', 7)
  expect(after).not.toBe(before)
  expect(after?.label).toBe(before?.label)
  expect(after?.tree.find('0')).not.toEqual(node)
  keyring.apply('acme/s/7/tree', null)
  expect(keyring.eraKeys('acme', 's', 7)).toBeUndefined()
})
