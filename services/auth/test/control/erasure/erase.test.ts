// Erasing, without Kafka: what the key trees and control state contain afterwards.
import { createSecretKey, randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import {
  consentOf,
  createOpener,
  createSealer,
  ERA_MS,
  eraAt,
  keyTimeOf,
  linksOf,
  wrapPart,
  wrapByKek,
  termEndMs,
  termOf,
} from '@weir/fieldcrypt'
import type { EraKeys, Opened } from '@weir/fieldcrypt'
import { cleanUp } from '../../../src/control/streams/clean-up.ts'
import { deleteStream } from '../../../src/control/streams/delete-stream.ts'
import { erasePeople, subjectOf } from '../../../src/control/erasure/erase.ts'
import { keepErasAhead } from '../../../src/control/keys/keep-eras.ts'
import { wrappingKeyId } from '@weir/control-state'
import type { InputStream } from '@weir/control-state'
import { memoryControl } from '../support-memory.ts'
import type { Memory } from '../support-memory.ts'
import { byKeyField, eraseClicks, makeClicksOf } from '../support-scene.ts'

const hourMs = 3_600_000
const levels = [0, 1, 2]

async function scene(): Promise<{ memory: Memory; stream: InputStream }> {
  const memory = memoryControl()
  const stream = await makeClicksOf(memory, { a: 0, b: 1, c: 2 })
  return { memory, stream }
}

const consent = consentOf([0, 1, 2])

type Sealed = { keyLink: Buffer; texts: string[]; atMs: number }

const keysAt = ({ follower }: Memory, { billingId, streamId }: InputStream, atMs: number) => {
  const keys = follower.keyring.eraKeys(billingId, streamId, eraAt(atMs))
  if (keys === undefined) throw new Error('no keys')
  return keys
}

/** Encrypts a value as ingest does, in a field of each level. */
function seal(keys: EraKeys, value: string, atMs: number): Sealed {
  const sealer = createSealer({ entriesMax: 10 })
  const person = sealer.person(keys, value, keyTimeOf(atMs, 24 * hourMs))
  const texts = levels.map((level) =>
    sealer.seal(person, { consent, level, path: `f${level}` }, value),
  )
  return { keyLink: person.keyLink, texts, atMs }
}

/** Decrypts as output does, and returns the kind of each field's result. */
function open(keys: EraKeys, { keyLink, texts, atMs }: Sealed): Opened['kind'][] {
  const opener = createOpener({ entriesMax: 10 })
  const person = opener.person(keys, keyLink, keyTimeOf(atMs, 24 * hourMs))
  if (person === 'unknown') throw new Error('no label')
  return texts.map(
    (text, level) => opener.open(person, { consent, level, path: `f${level}` }, text).kind,
  )
}

const opened = Array(3).fill('opened')
const erased = Array(3).fill('erased')

describe('an erased person', () => {
  test('stays sealed in every era and at every level, and nobody else does', async () => {
    const { memory, stream } = await scene()
    const times = [memory.deps.now(), memory.deps.now() + ERA_MS]
    const of = (value: string) =>
      times.map((atMs) => seal(keysAt(memory, stream, atMs), value, atMs))
    const [ada, bob] = [of('ada'), of('bob')]

    const { erasure } = await eraseClicks(memory.deps, { values: ['bob'] })

    const look = (sealed: Sealed[]) =>
      sealed.map((one) => open(keysAt(memory, stream, one.atMs), one))
    expect(look(ada)).toEqual([opened, opened])
    expect(look(bob)).toEqual([erased, erased])
    expect(erasure.terms).toEqual([...new Set(times.map((atMs) => termOf(eraAt(atMs))))])
  })

  test('who comes back is sealed under another keyLink, and erased with it the next time', async () => {
    const { memory, stream } = await scene()
    const atMs = memory.deps.now()
    const request = { values: ['bob'] }
    const first = seal(keysAt(memory, stream, atMs), 'bob', atMs)
    await eraseClicks(memory.deps, request)
    const second = seal(keysAt(memory, stream, atMs), 'bob', atMs)
    expect(second.keyLink).not.toEqual(first.keyLink)
    expect(open(keysAt(memory, stream, atMs), second)).toEqual(opened)

    await eraseClicks(memory.deps, request)

    const look = (sealed: Sealed) => open(keysAt(memory, stream, atMs), sealed)
    expect([look(first), look(second)]).toEqual([erased, erased])
  })

  test('is in no record of control state, neither as text nor under a name without the salt', async () => {
    const { memory, stream } = await scene()
    const value = 'bob@example.org'
    const request = { values: [value, value, 'eve'] }
    const { erasure, salt } = await eraseClicks(memory.deps, request)
    const stored = [...memory.follower.tables.store.folder(`erasure/${stream.streamId}/`)]
    expect(stored).toHaveLength(1)
    expect(JSON.stringify(stored)).not.toContain('example.org')
    expect(JSON.stringify(stored)).not.toContain(salt)
    expect(erasure.subjects).toEqual([subjectOf(salt, value), subjectOf(salt, 'eve')])
    expect(erasure.keks).toEqual(['file:test:1'])
  })

  test('a hundred values at once are all erased', async () => {
    const { memory, stream } = await scene()
    const atMs = memory.deps.now()
    const values = Array.from({ length: 100 }, (_, index) => `person-${index}`)
    const sealed = values.map((value) => seal(keysAt(memory, stream, atMs), value, atMs))
    const other = seal(keysAt(memory, stream, atMs), 'ada', atMs)
    await eraseClicks(memory.deps, { values })
    const keys = keysAt(memory, stream, atMs)
    expect(sealed.map((one) => open(keys, one))).toEqual(values.map(() => erased))
    expect(open(keys, other)).toEqual(opened)
  })

  test('two erasures at once both hold, at one replica and at two', async () => {
    const { memory, stream } = await scene()
    const { deps } = memory
    const atMs = deps.now()
    const people = ['ada', 'bob', 'cem', 'eve'].map((value) =>
      seal(keysAt(memory, stream, atMs), value, atMs),
    )
    const other = memory.replica('two')
    await Promise.all([
      eraseClicks(deps, { values: ['ada'] }),
      eraseClicks(deps, { values: ['bob'] }),
      eraseClicks(other, { values: ['cem'] }),
    ])
    const keys = keysAt(memory, stream, atMs)
    expect(people.map((one) => open(keys, one))).toEqual([erased, erased, erased, opened])
  })

  test('waits for a wrapping key that has just come', async () => {
    const { memory, stream } = await scene()
    const { keys, follower, deps } = memory
    const atMs = deps.now()
    const bob = seal(keysAt(memory, stream, atMs), 'bob', atMs)
    const plain = randomBytes(32)
    const recordKey = `acme/${stream.streamId}/${eraAt(atMs)}/label`
    const label = follower.keyring.open(recordKey, 'open') ?? Buffer.alloc(0)
    keys.apply(wrappingKeyId('open', 2), await wrapByKek(deps.kek, wrappingKeyId('open', 2), plain))
    const wrapping = { keyVersion: 2, wrappingKey: createSecretKey(plain) }
    keys.apply(recordKey, wrapPart({ ...wrapping, recordKey, plain: label }))
    expect(follower.wrappingKeys.pending()).not.toEqual([])
    await eraseClicks(deps, { values: ['bob'] })
    expect(open(keysAt(memory, stream, atMs), bob)).toEqual(erased)
  })

  test('an era that begins later in the term has a new link for the person, a later term the first one', async () => {
    const { memory, stream } = await scene()
    const term = termOf(eraAt(memory.deps.now()))
    await eraseClicks(memory.deps, { values: ['bob'] })
    for (const [atMs, generation] of [
      [memory.deps.now() + ERA_MS, 1],
      [termEndMs(term), 0],
    ] as const) {
      memory.passTime(atMs - ERA_MS - memory.deps.now())
      await keepErasAhead(memory.deps)
      const keys = keysAt(memory, stream, atMs)
      const bob = seal(keys, 'bob', atMs)
      expect(open(keys, bob)).toEqual(opened)
      expect(linksOf(keys, 'bob')).toHaveLength(generation + 1)
    }
  })
})

describe('a consent that is withdrawn', () => {
  test('for levels 0 and 2 leaves level 1 readable in what was sealed before, and says so of their links', async () => {
    const { memory, stream } = await scene()
    const atMs = memory.deps.now()
    const before = seal(keysAt(memory, stream, atMs), 'bob', atMs)
    const { erasure } = await eraseClicks(memory.deps, { values: ['bob'], levels: [0, 2] })
    expect(open(keysAt(memory, stream, atMs), before)).toEqual(['erased', 'opened', 'erased'])
    expect(erasure).toMatchObject({ isWithdrawal: true, levels: [0, 2] })
    const keys = keysAt(memory, stream, atMs)
    expect(linksOf(keys, 'bob').map((link) => keys.withdrawn(link))).toEqual([[0, 2], []])
    expect(linksOf(keys, 'ada').map((link) => keys.withdrawn(link))).toEqual([[]])
    const after = seal(keysAt(memory, stream, atMs), 'bob', atMs)
    expect(after.keyLink).not.toEqual(before.keyLink)
    expect(open(keysAt(memory, stream, atMs), after)).toEqual(opened)
  })

  test('for a level that no field has is a purpose that is taken back', async () => {
    const { memory, stream } = await scene()
    const request = { values: ['bob'], levels: [7] }
    const { erasure } = await eraseClicks(memory.deps, request)
    const atMs = memory.deps.now()
    expect(erasure).toMatchObject({ terms: [expect.any(Number)], levels: [7] })
    const keys = keysAt(memory, stream, atMs)
    expect(linksOf(keys, 'bob').map((link) => keys.withdrawn(link))).toEqual([[7], []])
  })
})

describe('an erasure', () => {
  test('of a stream that is not there any more is refused', async () => {
    const { memory, stream } = await scene()
    const erasing = (more: Partial<InputStream>) =>
      erasePeople(memory.deps, {
        ...byKeyField,
        stream: { ...stream, ...more },
        values: ['bob'],
      })
    await expect(erasing({ name: 'gone' })).rejects.toMatchObject({
      code: 'control-state.not_found',
    })
    await expect(erasing({ streamId: 'of-before' })).rejects.toMatchObject({ code: 'not_found' })
  })

  test('is refused as a whole while a part that it needs cannot be read', async () => {
    const { memory, stream } = await scene()
    const { keyStore, tables } = memory.follower
    const term = `acme/${stream.streamId}/t${termOf(eraAt(memory.deps.now()))}`
    const link = `${term}/link`
    const tree = keyStore.get(`${term}/tree`)
    memory.keys.apply(link, Buffer.alloc(40, 1))
    const request = { values: ['bob'] }
    await expect(eraseClicks(memory.deps, request)).rejects.toMatchObject({ code: 'unavailable' })
    expect(keyStore.get(`${term}/tree`)).toBe(tree)
    expect(tables.erasuresOf(stream.streamId)).toEqual([])
  })

  test('goes with its stream', async () => {
    const { memory, stream } = await scene()
    const { deps, follower } = memory
    await eraseClicks(deps, { values: ['bob'] })
    expect(follower.tables.pendingErasures()).toHaveLength(1)
    await deleteStream(deps, { billingId: 'acme', name: 'clicks', recursive: false })
    memory.passTime(60_000)
    await cleanUp(deps)
    expect(follower.tables.pendingErasures()).toEqual([])
    expect(follower.tables.erasuresOf(stream.streamId)).toEqual([])
    expect([...follower.keyStore.under('_erasure/')]).toEqual([])
  })
})
