// A rotation wraps every key record with new wrapping keys and removes the old ones, even with concurrent changes.
// Removed records stay removed, a record that can't be decrypted keeps its wrapping key, and two replicas don't disturb
// each other.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { parseKekFile, keyVersionOf } from '@weir/fieldcrypt'
import type { KekProvider } from '@weir/fieldcrypt'
import { partOf, privateSigningKey, wrappingKeyId } from '@weir/control-state'
import { createInput } from '../../../src/control/streams/create-stream.ts'
import { continueRotation } from '../../../src/control/keys/rotation/continue-rotation.ts'
import { keyReport, keyNameOfRecord } from '../../../src/control/keys/rotation/key-report.ts'
import { startRotation } from '../../../src/control/keys/rotation/start-rotation.ts'
import { keepSigningKeys } from '../../../src/control/keys/signing-keys.ts'
import { memoryControl } from '../support-memory.ts'
import type { Memory } from '../support-memory.ts'

const haveWrappingKeys = (): boolean => true
/** A KEK file in which each key is shortened to its first byte. */
let kekLines: string
const kekNow = () => parseKekFile(kekLines.replaceAll(/\b\d\d\b/g, (byte) => byte.repeat(32)))
const kek: KekProvider = {
  wrap: (...ring) => kekNow().wrap(...ring),
  unwrap: (...ring) => kekNow().unwrap(...ring),
  has: async (id) => kekNow().has(id),
}
let memory: Memory
let deps: Memory['deps']

beforeEach(async () => {
  kekLines = 'test 1 11'
  memory = memoryControl('acme', kek)
  deps = memory.deps
  await keepSigningKeys(deps)
  await createInput(deps, input('clicks'))
})

afterEach(() => memory.keys.close())

const input = (name: string) => ({
  billingId: 'acme',
  name,
  tags: [],
  limits: { eventRate: '1', eventCount: '1' },
  partitions: 1,
  rotationHours: 24,
  keyRetentionDays: 365,
})
const keyStore = () => memory.follower.keyStore
const keysSettled = () => memory.follower.wrappingKeys.settled()
const partKeys = (): string[] =>
  [...keyStore().keys()].filter((key) => keyNameOfRecord(key) !== undefined).sort()
/** Returns the content of each key record; undefined if it can't be decrypted. */
const contents = (): (string | undefined)[] =>
  partKeys().map((key) =>
    memory.follower.keyring.open(key, keyNameOfRecord(key) ?? '')?.toString('hex'),
  )

async function rotate(by = deps): Promise<void> {
  await startRotation(by)
  await keysSettled()
  await continueRotation(by, haveWrappingKeys)
}

test('every part, private keys too, is the same as before, under the second version of its wrapping key', async () => {
  const before = contents()
  expect(before).not.toContain(undefined)
  expect(partKeys().some((key) => key.startsWith(privateSigningKey('')))).toBe(true)
  await rotate()
  expect(contents()).toEqual(before)
  const { rings, rotation, partsLeft } = keyReport(memory.follower)
  expect(new Set(rings.map(({ version }) => version))).toEqual(new Set([2]))
  expect(rings.reduce((sum, { parts }) => sum + parts, 0)).toBe(before.length)
  expect([rotation?.parts, partsLeft]).toEqual([before.length, 0])
  expect(rotation?.finishedAtMs).toBeDefined()
})

test('records that hold no key are left as they are', async () => {
  const marker = '_erasure/1'
  await deps.writer.change(partOf('erasure.create'), (draft) => {
    draft.keys.put(marker, Buffer.of(1))
    draft.keys.put('_beat', Buffer.of(1))
  })
  await rotate()
  expect(keyStore().get(marker)).toEqual(Buffer.of(1))
  expect(keyReport(memory.follower).rotation?.finishedAtMs).toBeDefined()
})

test('a rotation that is under way is answered to whoever asks for another', async () => {
  const first = await startRotation(deps)
  expect((await startRotation(deps)).rotationId).toBe(first.rotationId)
  await keysSettled()
  await continueRotation(deps, haveWrappingKeys)
  expect((await startRotation(deps)).rotationId).not.toBe(first.rotationId)
})

test('nothing is wrapped anew before every replica has the new wrapping keys', async () => {
  const { rotationId } = await startRotation(deps)
  await keysSettled()
  const asked: string[] = []
  await continueRotation(deps, (rotation) => {
    asked.push(rotation.rotationId)
    return false
  })
  expect(asked).toEqual([rotationId])
  expect(keyReport(memory.follower).partsLeft).toBe(partKeys().length)
})

test('a part that is taken away or changed while it is wrapped anew stays so', async () => {
  const [gone = '', changed = ''] = partKeys().filter((key) => key.startsWith('acme/'))
  await startRotation(deps)
  await keysSettled()
  let isFirst = true
  const writer: Memory['deps']['writer'] = {
    ...deps.writer,
    async change(what, decide) {
      // This runs after the key records were listed, and before they are written.
      if (isFirst) {
        isFirst = false
        await deps.writer.change(partOf('erasure.create'), (draft) => {
          draft.keys.put(gone, null)
          draft.keys.put(changed, keyStore().get(changed) ?? null)
        })
      }
      return deps.writer.change(what, decide)
    },
  }
  await continueRotation({ ...deps, writer }, haveWrappingKeys)
  expect(keyStore().get(gone)).toBeUndefined()
  expect(keyVersionOf(keyStore().get(changed) ?? Buffer.alloc(0))).toBe(2)
  expect(keyReport(memory.follower).rotation?.finishedAtMs).toBeDefined()
})

test('a part that cannot be opened keeps its wrapping key, and the rotation says that it is not at its end', async () => {
  const [broken = ''] = partKeys().filter((key) => key.endsWith('/label'))
  await deps.writer.change(partOf('keys.rotate'), (draft) => {
    const value = Buffer.from(draft.keys.get(broken) ?? '')
    value.writeUInt8(value.readUInt8(30) ^ 1, 30)
    draft.keys.put(broken, value)
  })
  await rotate()
  const { rings, rotation, partsLeft } = keyReport(memory.follower)
  expect(partsLeft).toBe(1)
  expect(rotation?.finishedAtMs).toBeUndefined()
  expect(rings.filter(({ ring }) => ring === 'open').map(({ version }) => version)).toEqual([1, 2])
})

test('what one replica began, another ends; while one is at it, the other keeps away', async () => {
  const other = memory.replica('other')
  await startRotation(deps)
  await keysSettled()
  let changes = 0
  const dies: Memory['deps']['writer'] = {
    ...deps.writer,
    change: async (what, decide) => {
      if (++changes > 1) throw new Error('killed')
      return deps.writer.change(what, decide)
    },
  }
  await expect(continueRotation({ ...deps, writer: dies }, haveWrappingKeys)).rejects.toThrow(
    'killed',
  )
  await continueRotation(other, haveWrappingKeys)
  expect(keyReport(memory.follower).rotation?.finishedAtMs).toBeUndefined()
  memory.passTime(6_000)
  await continueRotation(other, haveWrappingKeys)
  expect(keyReport(memory.follower).rotation?.finishedAtMs).toBeDefined()
})

test('parts made during a rotation lie under the new wrapping keys', async () => {
  await startRotation(deps)
  await keysSettled()
  await createInput(deps, input('views'))
  const { rings } = keyReport(memory.follower)
  const parts = rings.find(({ ring, version }) => ring === 'link' && version === 2)?.parts
  expect(parts).toBe(1)
})

test('a wrapping key whose newest version cannot be unwrapped here wraps nothing: no part gets under an older one', async () => {
  await deps.writer.change(partOf('keys.rotate'), (draft) => {
    draft.keys.put(wrappingKeyId('open', 2), Buffer.from('\x01\x0bfile:test:9'))
  })
  expect(() => deps.wrappingKeys.current('open')).toThrow('does not exist yet')
})

test('a KEK that wraps no wrapping key any more is told', async () => {
  const unused = () => keyReport(memory.follower).rotation?.unusedKeks.map(({ kek }) => kek)
  await rotate()
  expect(unused()).toEqual([])
  kekLines = 'test 1 11\ntest 2 22'
  await rotate()
  expect(unused()).toEqual(['file:test:1'])
  kekLines = 'test 2 22\ntest 3 33'
  await rotate()
  expect(unused()).toEqual(['file:test:1', 'file:test:2'])
})
