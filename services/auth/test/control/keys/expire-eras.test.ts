// Keys that are older than the key retention are removed, one era per day. A clock error removes no keys.
import { beforeEach, describe, expect, test } from '@jest/globals'
import { ERA_MS, eraAt, lastEraOf, termEndMs, termOf } from '@weir/fieldcrypt'
import { cleanUp } from '../../../src/control/streams/clean-up.ts'
import { deleteStream } from '../../../src/control/streams/delete-stream.ts'
import { keepErasAhead } from '../../../src/control/keys/keep-eras.ts'
import { createAgreedNow, expireEras } from '../../../src/control/erasure/expire-eras.ts'
import { createReplicaTable, erasureKey, heartbeatValue, keyRecordName } from '@weir/control-state'
import type { KeyRecordName } from '@weir/control-state'
import { given } from '../../../../../packages/control-state/test/support.ts'
import { memoryControl } from '../support-memory.ts'
import type { Memory } from '../support-memory.ts'
import { eraseClicks, makeClicks } from '../support-scene.ts'

const dayMs = 86_400_000
const retentionDays = 10
let memory: Memory

beforeEach(async () => {
  memory = memoryControl()
  await makeClicks(memory, retentionDays)
  for (let era = 0; era < 3; era++) {
    memory.passTime(ERA_MS)
    await keepErasAhead(memory.deps)
  }
})

const names = (): KeyRecordName[] =>
  [...memory.follower.keyStore.keys()]
    .filter((key) => key.startsWith('acme/'))
    .flatMap((key) => keyRecordName(key) ?? [])
const sorted = (numbers: readonly number[]): number[] => [...new Set(numbers)].sort((a, b) => a - b)
const eras = (): number[] => sorted(names().flatMap(({ era }) => era ?? []))
const terms = (): number[] => sorted(names().flatMap(({ term }) => term ?? []))
const currentEra = (): number => eraAt(memory.deps.now())
const agreed = async (): Promise<number> => memory.deps.now()
const expire = () => expireEras(memory.deps, agreed)

test('an era goes when it has been past for so long as the stream keeps keys, and no other', async () => {
  const [first = 0, second = 0] = eras()
  const firstGoesMs = (first + 1) * ERA_MS + retentionDays * dayMs
  memory.passTime(firstGoesMs - memory.deps.now() - 1)
  // The time was moved forward and back, so the second era has not expired yet.
  await expire()
  expect(eras()[0]).toBe(first)
  memory.passTime(2)
  await expire()
  expect(eras()[0]).toBe(second)
  memory.passTime(dayMs)
  await expire()
  expect(eras()[0]).toBe(second)
})

test('the record of an erasure that is complete goes with the last term that it has changed', async () => {
  const request = { values: ['bob'] }
  const { erasure: done } = await eraseClicks(memory.deps, request)
  const { erasure: pending } = await eraseClicks(memory.deps, request)
  const { streamId, erasureId } = done
  const complete = { atMs: 1, scannedAtMs: 1, scannedTo: '1', leader: 1 }
  await memory.deps.writer.change(given, (draft) =>
    draft.put(erasureKey(streamId, erasureId), { ...done, complete }),
  )
  const [term = 0] = done.terms
  expect(done.terms).toEqual([term])
  const left = () => memory.follower.tables.erasuresOf(streamId).map((one) => one.erasureId)
  memory.passTime(termEndMs(term) + retentionDays * dayMs - memory.deps.now() + 1)
  while (terms().includes(term)) {
    expect(left()).toHaveLength(2)
    await expire()
    memory.passTime(dayMs)
  }
  expect(left()).toEqual([pending.erasureId])
})

test('a term goes with its last era, and every era of it before', async () => {
  const [term = 0] = terms()
  while (termOf(currentEra()) === term) {
    memory.passTime(ERA_MS)
    await keepErasAhead(memory.deps)
  }
  expect(terms()).toEqual([term, term + 1])
  memory.passTime(termEndMs(term) + retentionDays * dayMs - memory.deps.now() + 1)
  while (eras()[0] !== lastEraOf(term)) {
    await expire()
    expect(terms()).toEqual([term, term + 1])
    memory.passTime(dayMs)
  }
  await expire()
  expect([eras()[0], terms()]).toEqual([lastEraOf(term) + 1, [term + 1]])
})

test('at most one a day goes, and never one that is in use', async () => {
  memory.passTime(5 * ERA_MS)
  await keepErasAhead(memory.deps)
  const before = eras()
  await expire()
  await expire()
  await expireEras(memory.replica('other'), agreed)
  expect(eras()).toEqual(before.slice(1))
  for (let day = 0; day < 20; day++) {
    memory.passTime(dayMs)
    await expire()
  }
  expect(eras()).toEqual([currentEra(), currentEra() + 1])
})

test('what goes is told in the audit log', async () => {
  memory.passTime(5 * ERA_MS)
  const [oldest = 0] = eras()
  await expire()
  const entry = memory.entries.at(-1)
  expect(entry).toMatchObject({ action: 'keys.expire', target: { stream: 'clicks', era: oldest } })
})

test('while the clocks do not agree, nothing goes', async () => {
  memory.passTime(100 * ERA_MS)
  const before = eras()
  await expireEras(memory.deps, async () => undefined)
  expect(eras()).toEqual(before)
})

test('the keys of a deleted stream go with it, all of them', async () => {
  await deleteStream(memory.deps, { billingId: 'acme', name: 'clicks', recursive: false })
  await expire()
  await cleanUp(memory.deps)
  memory.passTime(10_000)
  await cleanUp(memory.deps)
  expect(eras()).toEqual([])
})

describe('what the clocks agree on', () => {
  function clocks(type = 'LogAppendTime') {
    let nowMs = 1_800_000_000_000
    const replicas = createReplicaTable(() => nowMs)
    const { log } = memory.deps
    const configs = { topic: async () => ({ 'message.timestamp.type': type }) }
    const agreedNow = createAgreedNow({ replicas: { replicas }, configs, now: () => nowMs, log })
    const beat = (timestampMs: number, isPast = false) =>
      replicas.apply(
        {
          key: 'a',
          value: heartbeatValue({
            service: 'ingest',
            sentMs: 0,
            uptimeMs: 0,
            spanMs: 1,
            control: '0',
            keys: '0',
            streams: {},
          }),
          timestampMs,
        },
        isPast,
      )
    return { agreedNow, beat, nowMs: () => nowMs, pass: (ms: number) => void (nowMs += ms) }
  }

  test("is the time of the one that is behind, as long as heartbeats come with the broker's time", async () => {
    const { agreedNow, beat, nowMs, pass } = clocks()
    expect(await agreedNow()).toBeUndefined()
    beat(nowMs(), true)
    expect(await agreedNow()).toBeUndefined()
    beat(nowMs() - 300)
    expect(await agreedNow()).toBe(nowMs() - 300)
    beat(nowMs() + 300)
    expect(await agreedNow()).toBe(nowMs())
    pass(6_000)
    expect(await agreedNow()).toBeUndefined()
  })

  test.each([400 * dayMs, -400 * dayMs, 61_000])(
    'is nothing when our clock is %i ms off, nor when it jumps after the last heartbeat',
    async (offMs) => {
      const { agreedNow, beat, nowMs, pass } = clocks()
      beat(nowMs() - offMs)
      expect(await agreedNow()).toBeUndefined()
      beat(nowMs())
      pass(offMs)
      expect(await agreedNow()).toBeUndefined()
    },
  )

  test("is nothing where the topic's timestamps are not the broker's", async () => {
    const { agreedNow, beat, nowMs } = clocks('CreateTime')
    beat(nowMs())
    expect(await agreedNow()).toBeUndefined()
  })
})
