// When an erasure becomes applied and complete. This depends on the replicas' heartbeats and on the content of Kafka's
// log.
import { describe, expect, test } from '@jest/globals'
import { createErasureStates } from '../../../src/control/erasure/erasure-states.ts'
import { deleteOutput } from '../../../src/control/streams/delete-stream.ts'
import { patchStream } from '../../../src/control/streams/change-stream.ts'
import type { StreamPatch } from '../../../src/control/streams/change-stream.ts'
import { erasureKey, markerKey, markerValue, streamKey } from '@weir/control-state'
import type { Replica } from '@weir/control-state'
import { derivedStream } from '../../../../../packages/control-state/test/support.ts'
import { memoryControl } from '../support-memory.ts'
import { eraseClicks, makeClicksOf } from '../support-scene.ts'

const minuteMs = 60_000

async function scene() {
  const memory = memoryControl()
  const { deps, follower } = memory
  await makeClicksOf(memory, { a: 0 })
  const { erasure } = await eraseClicks(deps, { values: ['bob'] })
  const part = `acme/${erasure.streamId}/t${erasure.terms[0]}/tree`
  const world = { heard: [] as Replica[], isRead: true, log: [] as string[], keys: 100n }
  follower.positions = () => ({ control: 0n, keys: world.keys })
  const states = createErasureStates({
    ...deps,
    replicas: {
      replicas: {
        known: () => [],
        heard: () => world.heard,
        live: () => [],
        dead: () => [],
        aheadOfBrokerMs: () => undefined,
      },
      isRead: () => world.isRead,
      catchUp: async () => {},
    },
    logScan: {
      async scan(_, onRecord) {
        for (const [offset, key] of world.log.entries())
          onRecord({ key, value: null, offset: BigInt(offset) })
        return { to: BigInt(world.log.length), leader: 3 }
      },
    },
  })
  const now = () => follower.tables.erasure(erasure.streamId, erasure.erasureId)
  /** Returns the erasure's states after a scan of a log with these keys. */
  const look = async (log: string[]) => {
    world.log = log
    memory.passTime(11 * minuteMs)
    await states.reconcile()
    memory.passTime(2 * minuteMs)
    await states.reconcile()
    const { appliedAtMs, complete } = now() ?? {}
    return { applied: appliedAtMs !== undefined, complete: complete !== undefined }
  }
  return { ...memory, states, world, now, look, part, marker: markerKey(erasure.erasureId, 0) }
}

const replicaAt = (keys: number): Replica => ({
  id: `replica-${keys}`,
  beat: {
    service: 'output',
    sentMs: 0,
    uptimeMs: 0,
    spanMs: 1,
    control: '0',
    keys: String(keys),
    streams: {},
  },
  heardMs: 0,
  freshMs: 0,
})

test('it is applied once every replica that is heard of has followed the keys past it', async () => {
  const { states, world, now, deps } = await scene()
  world.isRead = false
  await states.reconcile()
  expect(now()?.appliedAtMs).toBeUndefined() // the replicas are not known yet
  world.isRead = true
  world.heard = [replicaAt(100), replicaAt(99)]
  await states.reconcile()
  expect(now()?.appliedAtMs).toBeUndefined()
  world.keys = 200n // later keys don't affect the erasure
  world.heard = [replicaAt(100), replicaAt(101)]
  await states.reconcile()
  expect(now()?.appliedAtMs).toBe(deps.now())
  expect(now()?.outputs).toEqual([])
})

describe('while readers may have keys', () => {
  async function lending(keyMaxAgeSeconds: number) {
    const made = await scene()
    const { deps, follower, passTime, states, now } = made
    const input = follower.tables.stream('acme', 'clicks')
    if (input?.kind !== 'input') throw new Error('there is no stream')
    const output = derivedStream(input, { keyMaxAgeSeconds })
    const key = streamKey('acme', output.name)
    await deps.writer.change('unlogged', (draft) => draft.put(key, output))
    const target = { billingId: 'acme', input: 'clicks', name: output.name }
    return {
      ...made,
      /** Advances the clock, and returns whether the erasure is then applied. */
      async isAppliedAfter(seconds: number): Promise<boolean> {
        passTime(seconds * 1_000)
        await states.reconcile()
        return now()?.appliedAtMs !== undefined
      },
      change: (patch: StreamPatch) => patchStream(deps, target, patch),
      remove: () => deleteOutput(deps, target),
    }
  }

  test('it is applied only when these are too old, counted from the last replica', async () => {
    const { isAppliedAfter, world, now } = await lending(300)
    world.heard = [replicaAt(99)]
    expect(await isAppliedAfter(400)).toBe(false)
    expect(now()?.heardAtMs).toBeUndefined()
    world.heard = [replicaAt(100)]
    expect(await isAppliedAfter(0)).toBe(false)
    expect(now()?.heardAtMs).toBeDefined()
    expect(await isAppliedAfter(299)).toBe(false)
    expect(await isAppliedAfter(1)).toBe(true)
    expect(now()?.outputs).toEqual([]) // nothing is decrypted in the topic
  })

  test('also under an age that was longer before', async () => {
    const { isAppliedAfter, change } = await lending(300)
    await change({ keyMaxAgeSeconds: 30 })
    expect(await isAppliedAfter(0)).toBe(false)
    expect(await isAppliedAfter(300)).toBe(false)
    expect(await isAppliedAfter(15)).toBe(true)
  })

  test('and keys of an output that is deleted', async () => {
    const { isAppliedAfter, remove } = await lending(300)
    await remove()
    expect(await isAppliedAfter(0)).toBe(false)
    expect(await isAppliedAfter(300)).toBe(false)
    expect(await isAppliedAfter(15)).toBe(true)
  })
})

test('it is complete once the log holds no older version of what it replaced, and files are deleted', async () => {
  const { states, world, now, part, marker, passTime, follower } = await scene()
  await states.reconcile()
  passTime(11 * minuteMs)
  world.log = [part, 'other', marker, part]
  await states.reconcile()
  passTime(minuteMs * 10)
  await states.reconcile()
  expect(now()?.complete).toBeUndefined()
  world.log = ['other', marker, part, part]
  passTime(minuteMs * 10)
  await states.reconcile()
  expect(now()?.complete).toBeUndefined() // old files may still exist
  passTime(minuteMs)
  await states.reconcile()
  expect(now()?.complete).toMatchObject({ scannedTo: '4', leader: 3 })
  expect(follower.keyStore.get(marker)).toBeUndefined()
  expect(follower.tables.pendingErasures()).toEqual([])
})

test('with a rest it is neither applied nor complete, and every piece needs its own marker', async () => {
  const { look, now, part, marker, deps, keys } = await scene()
  const put = (more: object) =>
    deps.writer.change('unlogged', (draft) => {
      const erasure = now()
      if (erasure)
        draft.put(erasureKey(erasure.streamId, erasure.erasureId), { ...erasure, ...more })
    })
  const later = marker.replace(/0$/, '1')
  const other = `${part}.02`
  keys.apply(
    later,
    markerValue([{ term: Number(part.split('/t')[1]?.split('/')[0]), suffix: '02' }]),
  )
  await put({ pieces: 2, rest: { links: 2, done: 1 } })
  expect(await look([marker, part, later, other])).toEqual({ applied: false, complete: false })
  await put({ rest: undefined })
  expect(await look([marker, part, other, later, other])).toEqual({
    applied: true,
    complete: false,
  })
  expect(await look([marker, part, other])).toEqual({ applied: true, complete: false })
  expect(await look([marker, part, later, other])).toEqual({ applied: true, complete: true })
})

test('of several tries the last marker counts, and without one nothing is said', async () => {
  const { look, part, marker } = await scene()
  expect(await look([marker, part, marker, part])).toMatchObject({ complete: false })
  expect(await look([part])).toMatchObject({ complete: false })
  expect(await look([marker, marker, part])).toMatchObject({ complete: true })
})

test('while it is pending something is written each segment.ms, so that segments close', async () => {
  const { states, follower, passTime } = await scene()
  await states.reconcile()
  const first = follower.keyStore.get('_beat')?.toString()
  passTime(5 * minuteMs)
  await states.reconcile()
  expect(follower.keyStore.get('_beat')?.toString()).toBe(first)
  passTime(6 * minuteMs)
  await states.reconcile()
  expect(follower.keyStore.get('_beat')?.toString()).not.toBe(first)
})
