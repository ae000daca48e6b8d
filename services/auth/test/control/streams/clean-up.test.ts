import { expect, test } from '@jest/globals'
import { cleanUp } from '../../../src/control/streams/clean-up.ts'
import { deleteOutput, deleteStream } from '../../../src/control/streams/delete-stream.ts'
import { streamKey } from '@weir/control-state'
import type { InputStream } from '@weir/control-state'
import {
  given,
  derivedStream,
  inputStream,
} from '../../../../../packages/control-state/test/support.ts'
import { memoryControl } from '../support-memory.ts'
import type { Memory } from '../support-memory.ts'

const settleMs = 6_000

/** Creates an input stream with two outputs, all ready, with keys and topics. */
async function withStreams(): Promise<Memory & { input: InputStream }> {
  const memory = memoryControl()
  const input = inputStream({ partitions: 2 })
  const streams = [
    input,
    derivedStream(input, { name: 'd0' }),
    derivedStream(input, { name: 'd1' }),
  ]
  await memory.deps.writer.change(given, (draft) => {
    for (const stream of streams) draft.put(streamKey('acme', stream.name), stream)
    draft.keys.put(`acme/${input.streamId}/1/link`, Buffer.from('wrapped'))
  })
  for (const topic of ['clicks', 'd0', 'd0.dead', 'd1', 'd1.dead'])
    memory.kafka.topics.set(`acme.${topic}`, [3n, 0n])
  return { ...memory, input }
}

const remove = ({ deps }: Memory) =>
  deleteStream(deps, { billingId: 'acme', name: 'clicks', recursive: true })

const names = ({ follower }: Memory) => follower.tables.streamsOf('acme').map(({ name }) => name)

test('deleting is refused with the names of the outputs, unless it is recursive', async () => {
  const memory = await withStreams()
  const request = { billingId: 'acme', name: 'clicks', recursive: false }
  await expect(deleteStream(memory.deps, request)).rejects.toMatchObject({
    code: 'has_outputs',
    message: expect.stringContaining('d0, d1'),
  })
  expect((await remove(memory)).map(({ name }) => name)).toEqual(['d0', 'd1', 'clicks'])
})

test('an output that was still being made goes too, and nobody is told that it was there', async () => {
  const memory = await withStreams()
  await memory.deps.writer.change(given, (draft) => {
    draft.put(
      streamKey('acme', 'new'),
      derivedStream(memory.input, { name: 'new', state: 'creating' }),
    )
  })
  expect((await remove(memory)).map(({ name }) => name)).toEqual(['d0', 'd1', 'clicks'])
  expect(memory.follower.tables.stream('acme', 'new')).toMatchObject({
    state: 'deleting',
    neverReady: true,
  })
})

test('derivers are fenced before group and topic go, and the input goes after its outputs', async () => {
  const memory = await withStreams()
  await remove(memory)
  memory.passTime(settleMs)
  while (await cleanUp(memory.deps)) memory.passTime(2_000)
  const { calls } = memory.kafka
  expect(calls.filter((call) => call.includes('d0'))).toEqual([
    'fence weir.derive.acme.d0.0',
    'fence weir.derive.acme.d0.1',
    'deleteGroup weir.acme.d0',
    'deleteTopic acme.d0',
    'deleteTopic acme.d0.dead',
  ])
  expect(calls.at(-1)).toBe('deleteTopic acme.clicks')
  expect(names(memory)).toEqual([])
  expect([...memory.kafka.topics.keys()]).toEqual([])
  expect(memory.follower.keyStore.get(`acme/${memory.input.streamId}/1/link`)).toBeUndefined()
})

test('a name is kept until no event that was accepted before can still arrive, and not longer', async () => {
  const memory = await withStreams()
  await deleteOutput(memory.deps, { billingId: 'acme', input: 'clicks', name: 'd0' })
  memory.passTime(1_500)
  expect(await cleanUp(memory.deps)).toBe(settleMs - 1_500)
  expect(memory.kafka.topics.has('acme.d0')).toBe(false)
  expect(names(memory)).toContain('d0')
  memory.passTime(settleMs - 1_500)
  expect(await cleanUp(memory.deps)).toBeUndefined()
  expect(names(memory)).toEqual(['clicks', 'd1'])
})

test('a group with members is waited for', async () => {
  const memory = await withStreams()
  await deleteOutput(memory.deps, { billingId: 'acme', input: 'clicks', name: 'd0' })
  memory.passTime(settleMs)
  memory.kafka.fail('deleteGroup', 'group_not_empty')
  expect(await cleanUp(memory.deps)).toBeGreaterThan(0)
  expect(memory.kafka.topics.has('acme.d0')).toBe(true)
  expect(await cleanUp(memory.deps)).toBeUndefined()
})

test('a stream that was being made for more than a minute is taken away, its topic if it is empty', async () => {
  const memory = memoryControl()
  const creating = inputStream({ state: 'creating', stateSinceMs: memory.deps.now() })
  await memory.deps.writer.change(given, (draft) =>
    draft.put(streamKey('acme', 'clicks'), creating),
  )
  memory.kafka.topics.set('acme.clicks', [0n])
  expect(await cleanUp(memory.deps)).toBeUndefined()
  expect(names(memory)).toEqual(['clicks'])
  memory.passTime(67_000)
  expect(await cleanUp(memory.deps)).toBeUndefined()
  expect(names(memory)).toEqual([])
  expect(memory.kafka.topics.size).toBe(0)
})

test("a topic with records under a name that was never announced is somebody else's, and stays", async () => {
  const memory = memoryControl()
  const creating = inputStream({ state: 'creating', stateSinceMs: 1 })
  await memory.deps.writer.change(given, (draft) =>
    draft.put(streamKey('acme', 'clicks'), creating),
  )
  memory.kafka.topics.set('acme.clicks', [4n])
  expect(await cleanUp(memory.deps)).toBeUndefined()
  expect(names(memory)).toEqual([])
  expect(memory.kafka.topics.get('acme.clicks')).toEqual([4n])
})

test('a replica keeps away from what another one is at, until its lease is over', async () => {
  const memory = await withStreams()
  await deleteOutput(memory.deps, { billingId: 'acme', input: 'clicks', name: 'd0' })
  memory.kafka.fail('deleteTopic')
  expect(await cleanUp(memory.deps)).toBeGreaterThan(0)
  const other = memory.replica('two')
  const before = memory.kafka.calls.length
  expect(await cleanUp(other)).toBeGreaterThan(0)
  expect(memory.kafka.calls.length).toBe(before)
  memory.passTime(31_000)
  expect(await cleanUp(other)).toBeUndefined()
  expect(names(memory)).not.toContain('d0')
})

test('what was counted of an input goes before its record, and is tried again when it can not', async () => {
  const memory = await withStreams()
  await remove(memory)
  memory.passTime(settleMs)
  const asked: string[] = []
  const forgetUsage = async ({ streamId }: { streamId: string }): Promise<void> => {
    asked.push(streamId)
    if (asked.length === 1) throw new Error('Kafka is away')
  }
  const deps = { ...memory.deps, forgetUsage }
  await cleanUp(deps)
  expect([asked, names(memory)]).toEqual([[memory.input.streamId], ['clicks']])
  await cleanUp(deps)
  expect([asked.length, names(memory)]).toEqual([2, []])
})
