// A restored backup is older than erasures, withdrawals and removals of keys. The restore undoes none of these.
import { beforeEach, expect, test } from '@jest/globals'
import {
  consentOf,
  createOpener,
  createSealer,
  ERA_MS,
  eraAt,
  keyTimeOf,
  linksOf,
  termOf,
  parseKekFile,
} from '@weir/fieldcrypt'
import type { EraKeys, KekProvider } from '@weir/fieldcrypt'
import { isRestoring, isWrappingKeyId, restoringKey, restoringValue } from '@weir/control-state'
import type { InputStream } from '@weir/control-state'
import { continueRotation } from '../../../src/control/keys/rotation/continue-rotation.ts'
import { startRotation } from '../../../src/control/keys/rotation/start-rotation.ts'
import { deleteStream } from '../../../src/control/streams/delete-stream.ts'
import { expireEras } from '../../../src/control/erasure/expire-eras.ts'
import { keepErasAhead } from '../../../src/control/keys/keep-eras.ts'
import { reapplyErasures } from '../../../src/control/restore/reapply.ts'
import { erasePeople } from '../../../src/control/erasure/erase.ts'
import { memoryControl } from '../support-memory.ts'
import type { Memory } from '../support-memory.ts'
import { byKeyField, eraseClicks, makeClicksOf } from '../support-scene.ts'

const dayMs = 86_400_000
const levels = [0, 1]
const consent = consentOf(levels)
const kekLines = (versions: readonly number[]): string =>
  versions.map((version) => `test ${version} ${`1${version}`.repeat(32)}`).join('\n')

const kekOf = (versions: readonly number[]): KekProvider =>
  parseKekFile(kekLines(versions), { name: 'test' })

/** The versions of the KEK that the first cluster has. */
let kekVersions: readonly number[]
const kek: KekProvider = {
  wrap: (...args) => kekOf(kekVersions).wrap(...args),
  unwrap: (...args) => kekOf(kekVersions).unwrap(...args),
  has: (...args) => kekOf(kekVersions).has(...args),
}

let memory: Memory
let stream: InputStream
/** The events that were encrypted so far, by person. */
let sealed: { keyLink: Buffer; texts: string[]; atMs: number; value: string }[]

beforeEach(async () => {
  kekVersions = [1]
  memory = memoryControl('acme', kek)
  stream = await makeClicksOf(memory, { a: 0, b: 1 })
  sealed = []
})

function keysAt({ follower }: Memory, atMs: number): EraKeys | undefined {
  return follower.keyring.eraKeys('acme', stream.streamId, eraAt(atMs))
}

function seal(value: string): void {
  const atMs = memory.deps.now()
  const keys = keysAt(memory, atMs)
  if (keys === undefined) throw new Error('no keys')
  const sealer = createSealer({ entriesMax: 10 })
  const person = sealer.person(keys, value, keyTimeOf(atMs, dayMs))
  const texts = levels.map((level) =>
    sealer.seal(person, { consent, level, path: `f${level}` }, value),
  )
  sealed.push({ keyLink: person.keyLink, texts, atMs, value })
}

/** Returns the levels at which each event can be decrypted, such as `ada 0 1`. */
function opened(at: Memory): string[] {
  return sealed.map(({ keyLink, texts, atMs, value }) => {
    const keys = keysAt(at, atMs)
    const opener = createOpener({ entriesMax: 10 })
    const person =
      keys === undefined ? 'unknown' : opener.person(keys, keyLink, keyTimeOf(atMs, dayMs))
    if (person === 'unknown') return value
    const open = levels.filter(
      (level) =>
        opener.open(person, { consent, level, path: `f${level}` }, texts[level] ?? '').kind ===
        'opened',
    )
    return [value, ...open].join(' ')
  })
}

/** Returns the number of records in a backup: everything that was written so far. */
const backup = (): number => memory.written.length

/** Returns another cluster, with the records of the backup and the log of erasures. */
async function restore(saved: number, versions = [1]): Promise<Memory> {
  const other = memoryControl('acme', kekOf(versions))
  other.passTime(memory.deps.now() - other.deps.now())
  other.apply({ key: restoringKey, value: restoringValue({ subjectsLost: false }) })
  for (const each of memory.written.slice(0, saved)) other.apply(each)
  for (const { key, value } of memory.logged)
    if (isWrappingKeyId(key)) other.apply({ key, value })
    else other.logged.push({ key, value })
  await other.follower.wrappingKeys.settled()
  return other
}

test('who was erased after the backup stays erased, and the erasure is there again', async () => {
  for (const value of ['ada', 'bob', 'cem']) seal(value)
  const { erasure: early } = await eraseClicks(memory.deps, { values: ['cem'] })
  const saved = backup()
  const { erasure } = await eraseClicks(memory.deps, { values: ['bob'], reference: 'T-7' })

  const other = await restore(saved)
  expect(opened(other)).toEqual(['ada 0 1', 'bob 0 1', 'cem'])
  expect(isRestoring(other.follower.keyStore)).toBe(true)
  await reapplyErasures(other.deps)

  expect(isRestoring(other.follower.keyStore)).toBe(false)
  expect(opened(other)).toEqual(['ada 0 1', 'bob', 'cem'])
  const again = other.follower.tables.erasure(stream.streamId, erasure.erasureId)
  expect(again).toMatchObject({ reference: 'T-7', acceptedAtMs: erasure.acceptedAtMs, pieces: 1 })
  const before = memory.follower.tables.erasure(stream.streamId, early.erasureId)
  expect(other.follower.tables.erasure(stream.streamId, early.erasureId)).toEqual(before)
  expect(other.entries.at(-1)).toMatchObject({ action: 'backup.reapplied', target: { count: 2 } })
})

test('an erasure whose keys the restore brought back must reach its states again', async () => {
  seal('ada')
  const saved = backup()
  const { erasure } = await eraseClicks(memory.deps, { values: ['ada'] })
  const complete = { atMs: 1, scannedAtMs: 1, scannedTo: '1', leader: 1 }
  const done = { ...erasure, appliedAtMs: 1, complete, destroyedAtMs: 1 }
  const other = await restore(saved)
  other.apply({ key: `erasure/${stream.streamId}/${erasure.erasureId}`, record: done })

  await reapplyErasures(other.deps)

  const again = other.follower.tables.erasure(stream.streamId, erasure.erasureId)
  expect(again).toMatchObject({ pieces: 1 })
  for (const state of ['appliedAtMs', 'complete', 'destroyedAtMs'])
    expect(again).not.toHaveProperty(state)
  expect(opened(other)).toEqual(['ada'])
})

test('a withdrawn level stays withdrawn, and the others can be decrypted', async () => {
  seal('ada')
  const saved = backup()
  await eraseClicks(memory.deps, { values: ['ada'], levels: [1] })
  const other = await restore(saved)
  await reapplyErasures(other.deps)
  expect(opened(other)).toEqual(['ada 0'])
})

test('a second pass after a crash changes nothing, and every order of the entries gives the same', async () => {
  for (const value of ['ada', 'bob', 'cem', 'eve']) seal(value)
  const saved = backup()
  await eraseClicks(memory.deps, { values: ['ada'], levels: [1] })
  await eraseClicks(memory.deps, { values: ['bob', 'cem'] })
  await eraseClicks(memory.deps, { values: ['ada'] })
  memory.logged.reverse()
  const other = await restore(saved)
  let changes = 0
  const { changeWith } = other.deps.wrappingKeys
  const crashing: Memory['deps']['wrappingKeys'] = {
    ...other.deps.wrappingKeys,
    changeWith(what, names, decide) {
      if (++changes === 2) throw new Error('a crash')
      return changeWith(what, names, decide)
    },
  }
  await expect(reapplyErasures({ ...other.deps, wrappingKeys: crashing })).rejects.toThrow(
    'a crash',
  )
  expect(isRestoring(other.follower.keyStore)).toBe(true)
  await reapplyErasures(other.deps)
  expect(opened(other)).toEqual(['ada', 'bob', 'cem', 'eve 0 1'])
  const erasures = other.follower.tables.erasuresOf(stream.streamId)
  expect(erasures).toHaveLength(3)
})

test('eras that expired and streams that were deleted after the backup lose their keys immediately', async () => {
  seal('ada')
  const firstMs = memory.deps.now()
  for (let era = 0; era < 3; era += 1) {
    memory.passTime(ERA_MS)
    await keepErasAhead(memory.deps)
  }
  seal('bob')
  const saved = backup()
  memory.passTime(365 * dayMs)
  const agreed = async (): Promise<number> => memory.deps.now()
  for (let day = 0; day < 3; day += 1) {
    await expireEras(memory.deps, agreed)
    memory.passTime(dayMs)
  }
  expect(opened(memory)).toEqual(['ada', 'bob 0 1'])
  const expired = await restore(saved)
  await reapplyErasures(expired.deps)
  expect(opened(expired)).toEqual(['ada', 'bob 0 1'])
  expect(keysAt(expired, firstMs)).toBeUndefined()

  await deleteStream(memory.deps, { billingId: 'acme', name: 'clicks', recursive: false })
  const deleted = await restore(saved)
  await reapplyErasures(deleted.deps)
  expect(opened(deleted)).toEqual(['ada', 'bob'])
  expect(deleted.follower.tables.stream('acme', 'clicks')).toMatchObject({ state: 'deleting' })
})

test('entries from before and after a rotation are read with the newest KEK alone', async () => {
  for (const value of ['ada', 'bob', 'cem']) seal(value)
  await eraseClicks(memory.deps, { values: ['ada'] })
  kekVersions = [1, 2]
  await startRotation(memory.deps)
  await memory.follower.wrappingKeys.settled()
  await continueRotation(memory.deps, () => true)
  kekVersions = [2]
  const saved = backup()
  await eraseClicks(memory.deps, { values: ['bob'] })

  const other = await restore(saved, [2])
  await reapplyErasures(other.deps)
  expect(opened(other)).toEqual(['ada', 'bob', 'cem 0 1'])
})

test('an entry that cannot be decrypted stops the restore, and is named', async () => {
  seal('ada')
  const saved = backup()
  const { erasure } = await eraseClicks(memory.deps, { values: ['ada'] })
  const other = await restore(saved)
  const at = other.logged.findIndex(({ key }) => key.includes(erasure.erasureId))
  const { key = '', value = Buffer.alloc(0) } = other.logged[at] ?? {}
  const changed = Buffer.from(value)
  changed[40] = (changed[40] ?? 0) ^ 1
  other.logged[at] = { key, value: changed }
  await expect(reapplyErasures(other.deps)).rejects.toThrow(key)
  expect(isRestoring(other.follower.keyStore)).toBe(true)
})

test('entries of streams that the backup does not have are skipped', async () => {
  const saved = 0
  seal('ada')
  await erasePeople(memory.deps, { stream, ...byKeyField, values: ['ada'] })
  const other = await restore(saved)
  await reapplyErasures(other.deps)
  expect(isRestoring(other.follower.keyStore)).toBe(false)
})

test('the audit entry of an erasure has the hash of its entry, and nobody reads the person there', async () => {
  seal('ada@example.org')
  await eraseClicks(memory.deps, { values: ['ada@example.org'] })
  const entry = memory.entries.findLast(({ action }) => action === 'erasure.create')
  expect(entry?.target.logged).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)])
  const text = memory.logged.map(({ key, value }) => key + value.toString('latin1')).join()
  expect(text).not.toContain('example.org')
})

test('after it the keys and the withdrawn levels of everybody are as they were', async () => {
  const people = Array.from({ length: 40 }, (_, n) => `p${n}`)
  for (const value of people) seal(value)
  const state = (at: Memory) =>
    people.map((value) => {
      const keys = at.follower.keyring.termKeys(
        'acme',
        stream.streamId,
        termOf(eraAt(memory.deps.now())),
      )
      if (keys === undefined) throw new Error('none')
      return linksOf(keys, value).map((link) =>
        [value, ...(keys.withdrawn(link) ?? ['unknown'])].join(' '),
      )
    })
  await eraseClicks(memory.deps, { values: ['p1'], levels: [1] })
  const saved = backup()
  await eraseClicks(memory.deps, { values: ['p2'] })
  await eraseClicks(memory.deps, { values: ['p3'], levels: [0] })
  const other = await restore(saved)
  await reapplyErasures(other.deps)
  expect(state(other)).toEqual(state(memory))
  expect(opened(other)).toEqual(opened(memory))
})
