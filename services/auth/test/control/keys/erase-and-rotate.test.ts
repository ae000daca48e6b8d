// A rotation and an erasure at the same time: erased people stay erased, and the fields of others stay readable. After
// the old KEK is destroyed, the erasure becomes `destroyed`.
import { beforeEach, expect, test } from '@jest/globals'
import {
  consentOf,
  createOpener,
  createSealer,
  eraAt,
  parseKekFile,
  keyTimeOf,
} from '@weir/fieldcrypt'
import type { KekProvider } from '@weir/fieldcrypt'
import { createReplicaTable, erasureKey, partOf } from '@weir/control-state'
import type { ErasureRecord, InputStream } from '@weir/control-state'
import { createWrappingKeys } from '../../../src/control/keys/wrapping-keys.ts'
import { continueRotation } from '../../../src/control/keys/rotation/continue-rotation.ts'
import { lookForDestroyed } from '../../../src/control/keys/rotation/destroyed.ts'
import { keyReport } from '../../../src/control/keys/rotation/key-report.ts'
import { startRotation } from '../../../src/control/keys/rotation/start-rotation.ts'
import { memoryControl } from '../support-memory.ts'
import type { Memory } from '../support-memory.ts'
import { eraseClicks, makeClicksOf } from '../support-scene.ts'

const rotationMs = 86_400_000
const line = (version: number): string => `test ${version} ${`1${version}`.repeat(32)}`

let kekLines: string
/** The KEKs that each replica reports in its heartbeats. */
let held: (readonly string[] | undefined)[]
let memory: Memory
let stream: InputStream
const kekNow = () => parseKekFile(kekLines)
const kek: KekProvider = {
  wrap: (...args) => kekNow().wrap(...args),
  unwrap: (...args) => kekNow().unwrap(...args),
  has: async (id) => kekNow().has(id),
}

beforeEach(async () => {
  kekLines = line(1)
  held = [[], [], []]
  memory = memoryControl('acme', kek)
  stream = await makeClicksOf(memory, { a: 0 })
})

const keysNow = () => {
  const era = eraAt(memory.deps.now())
  const keys = memory.follower.keyring.eraKeys('acme', stream.streamId, era)
  if (keys === undefined) throw new Error('no keys')
  return keys
}
const timeNow = () => keyTimeOf(memory.deps.now(), rotationMs)

const field = { consent: consentOf([0]), level: 0, path: 'a' }

function seal(value: string) {
  const sealer = createSealer({ entriesMax: 10 })
  const person = sealer.person(keysNow(), value, timeNow())
  return { keyLink: person.keyLink, text: sealer.seal(person, field, value) }
}
function open({ keyLink, text }: ReturnType<typeof seal>): string {
  const opener = createOpener({ entriesMax: 10 })
  const person = opener.person(keysNow(), keyLink, timeNow())
  return person === 'unknown' ? person : opener.open(person, field, text).kind
}

const erase = (deps: Memory['deps'], value: string) => eraseClicks(deps, { values: [value] })

/** Rotates, and erases a person before the n-th change. */
async function rotateWhileForgetting(value: string, before: number): Promise<void> {
  const { deps } = memory
  let changes = 0
  const writer: Memory['deps']['writer'] = {
    ...deps.writer,
    async change(what, decide) {
      if (++changes === before) await erase(deps, value)
      return deps.writer.change(what, decide)
    },
  }
  await startRotation({ ...deps, writer })
  await memory.follower.wrappingKeys.settled()
  await continueRotation({ ...deps, writer }, () => true)
}

test.each([1, 2, 3])(
  'who is forgotten before change %i of a rotation is forgotten after it, and nobody else',
  async (before) => {
    const [ada, grace] = [seal('ada'), seal('grace')]
    expect([open(ada), open(grace)]).toEqual(['opened', 'opened'])
    await rotateWhileForgetting('ada', before)
    expect([open(ada), open(grace)]).toEqual(['erased', 'opened'])
    expect(keyReport(memory.follower)).toMatchObject({
      partsLeft: 0,
      rotation: { finishedAtMs: expect.any(Number) },
    })
  },
)

test('an erasure that finds new wrapping keys which are not unwrapped yet waits for them', async () => {
  // Given
  const { deps, follower } = memory
  const ada = seal('ada')
  let changes = 0
  const writer: Memory['deps']['writer'] = {
    ...deps.writer,
    async change(what, decide) {
      // Another replica does this between the look-up of the wrapping key and the change.
      if (++changes === 1) await startRotation(deps)
      return deps.writer.change(what, decide)
    },
  }

  // When
  await erase({ ...deps, wrappingKeys: createWrappingKeys({ writer, follower, kek }) }, 'ada')

  // Then
  expect(changes).toBe(2)
  expect(open(ada)).toBe('erased')
})

async function rotate(): Promise<void> {
  await startRotation(memory.deps)
  await memory.follower.wrappingKeys.settled()
  await continueRotation(memory.deps, () => true)
}
/** Erases a value, and marks the erasure as applied. */
async function forget(value: string): Promise<string> {
  const { erasure } = await erase(memory.deps, value)
  await markApplied(erasure)
  return erasure.erasureId
}
const markApplied = (erasure: ErasureRecord): Promise<void> =>
  memory.deps.writer.change(partOf('erasure.applied'), (draft) =>
    draft.put(erasureKey(erasure.streamId, erasure.erasureId), {
      ...erasure,
      appliedAtMs: memory.deps.now(),
    }),
  )
const beatOf = (keks: readonly string[] | undefined) => {
  const sent = { sentMs: 0, uptimeMs: 0, spanMs: 1_000, control: '0', keys: '0', streams: {} }
  return { service: 'ingest' as const, ...sent, ...(keks && { keks }) }
}
const replicas = {
  isRead: () => true,
  replicas: {
    ...createReplicaTable(() => 0),
    heard: () => held.map((keks) => ({ id: 'r', beat: beatOf(keks), heardMs: 0, freshMs: 0 })),
  },
}
const isDestroyed = async (id: string): Promise<boolean> => {
  await lookForDestroyed({ ...memory.deps, replicas })
  const { erasure } = memory.follower.tables
  return erasure(stream.streamId, id)?.destroyedAtMs !== undefined
}

test('an erasure is destroyed when the KEKs of what it replaced are gone, and those of older copies', async () => {
  kekLines = [line(1), line(2)].join('\n')
  await rotate()
  const id = await forget('ada')
  expect(await isDestroyed(id)).toBe(false)
  kekLines = [line(1), line(2), line(3)].join('\n')
  await rotate()
  expect(await isDestroyed(id)).toBe(false)
  kekLines = [line(1), line(3)].join('\n')
  expect(await isDestroyed(id)).toBe(false)
  kekLines = line(3)
  expect(await isDestroyed(id)).toBe(true)
  expect(memory.entries.at(-1)).toMatchObject({ action: 'erasure.destroyed' })
})

test('one in the middle of a rotation is not while the KEK of before the rotation is there', async () => {
  kekLines = [line(1), line(2)].join('\n')
  await startRotation(memory.deps)
  await memory.follower.wrappingKeys.settled()
  // The new wrapping key wraps all key records, and the old one still exists.
  await rotateWhileForgetting('ada', 3)
  const [erasure] = memory.follower.tables.erasuresOf(stream.streamId)
  if (erasure === undefined) throw new Error('there is no erasure')
  expect(erasure.keks).toEqual(['file:test:2'])
  await markApplied(erasure)
  kekLines = [line(1), line(3)].join('\n')
  expect(await isDestroyed(erasure.erasureId)).toBe(false)
  kekLines = line(3)
  expect(await isDestroyed(erasure.erasureId)).toBe(true)
})

test('one that replaced no key record is never said to be destroyed', async () => {
  const id = await forget('ada')
  const found = memory.follower.tables.erasure(stream.streamId, id)
  if (found === undefined) throw new Error('there is no erasure')
  await markApplied({ ...found, keks: [] })
  expect(await isDestroyed(id)).toBe(false)
})

test('it is not while that cannot be told', async () => {
  const id = await forget('ada')
  kekLines = [line(1), line(2)].join('\n')
  await rotate()
  kekLines = 'no lines'
  expect(await isDestroyed(id)).toBe(false)
  kekLines = line(2)
  expect(await isDestroyed(id)).toBe(true)
})

test('it is not while a replica of any service has such a KEK itself, or does not say which it has', async () => {
  const id = await forget('ada')
  kekLines = [line(1), line(2)].join('\n')
  await rotate()
  kekLines = line(2)
  held = [['file:test:2'], ['file:test:1', 'file:test:2'], []]
  expect(await isDestroyed(id)).toBe(false)
  held = [['file:test:2'], undefined]
  expect(await isDestroyed(id)).toBe(false)
  held = [['file:test:2'], []]
  expect(await isDestroyed(id)).toBe(true)
})
