// A rebuild when Kafka fails, and when two replicas of auth work on it. Records that were derived after the rebuild are
// never deleted.
import { expect, test } from '@jest/globals'
import { streamKey } from '@weir/control-state'
import type { DerivedStream } from '@weir/control-state'
import {
  derivedStream,
  given,
  inputStream,
} from '../../../../../packages/control-state/test/support.ts'
import { askRebuild, rebuildOutputs } from '../../../src/control/streams/rebuild-output.ts'
import { memoryControl } from '../support-memory.ts'

const target = { billingId: 'acme', input: 'clicks', name: 'out' }

async function scene() {
  const memory = memoryControl()
  const input = inputStream()
  const output = derivedStream(input, { name: 'out', startOffsets: ['4'], partitions: 1 })
  await memory.deps.writer.change(given, (draft) => {
    for (const stream of [input, output]) draft.put(streamKey('acme', stream.name), stream)
  })
  for (const [topic, end] of [
    ['acme.clicks', 9n],
    ['acme.out', 7n],
    ['acme.out.dead', 2n],
  ] as const)
    memory.kafka.topics.set(topic, [end])
  const now = (): DerivedStream => {
    const found = memory.follower.tables.stream('acme', 'out')
    if (found?.kind !== 'derived') throw new Error('the output is gone')
    return found
  }
  const cuts = () => memory.kafka.calls.filter((call) => call.startsWith('cut'))
  return { ...memory, now, cuts }
}

const ask = ({ deps }: Awaited<ReturnType<typeof scene>>) =>
  askRebuild(deps, target, { acceptLoss: false })

test('the logs are cut where they ended when they were taken over, and the record says so', async () => {
  const own = await scene()
  await ask(own)
  expect(await rebuildOutputs(own.deps)).toBeUndefined()
  expect(own.cuts()).toEqual(['cut acme.out 7', 'cut acme.out.dead 2'])
  expect(own.now()).toMatchObject({
    startOffsets: ['4'],
    rebuild: { number: 1, cut: { derived: ['7'], dead: ['2'] } },
  })
})

test('one that is asked for again is the same until it is done, and another one after', async () => {
  const own = await scene()
  expect((await ask(own)).rebuild?.number).toBe(1)
  expect((await ask(own)).rebuild?.number).toBe(1)
  await rebuildOutputs(own.deps)
  expect((await ask(own)).rebuild).toMatchObject({ number: 2 })
  expect(own.now().rebuild?.cut).toBeUndefined()
})

test.each(['acquire', 'cut'])('a Kafka that fails at %s leaves it to be done', async (call) => {
  const own = await scene()
  await ask(own)
  own.kafka.fail(call)
  expect(await rebuildOutputs(own.deps)).toBeGreaterThan(0)
  expect(own.now().rebuild?.cut).toBeUndefined()
  expect(await rebuildOutputs(own.deps)).toBeUndefined()
  expect(own.now().rebuild?.cut).toBeDefined()
})

test('whoever is late cuts nothing: the other has finished, and the stream is derived again', async () => {
  const own = await scene()
  await ask(own)
  const other = own.replica('other')
  const { takeOver } = own.deps.derivedLogs
  const late = {
    ...own.deps,
    derivedLogs: {
      ...own.deps.derivedLogs,
      async takeOver(output: DerivedStream) {
        await rebuildOutputs(other)
        own.kafka.topics.set('acme.out', [11n]) // derived after the rebuild
        return takeOver(output)
      },
    },
  }
  expect(await rebuildOutputs(late)).toBeUndefined()
  expect(own.cuts()).toEqual(['cut acme.out 7', 'cut acme.out.dead 2'])
  expect(own.now().rebuild?.cut?.derived).toEqual(['7'])
})

test('nor where it was asked for once more meanwhile', async () => {
  const own = await scene()
  await ask(own)
  const { takeOver } = own.deps.derivedLogs
  const late = {
    ...own.deps,
    derivedLogs: {
      ...own.deps.derivedLogs,
      async takeOver(output: DerivedStream) {
        const taken = await takeOver(output)
        await rebuildOutputs(own.replica('other'))
        await ask(own)
        return taken
      },
    },
  }
  await rebuildOutputs(late)
  expect(own.cuts()).toEqual(['cut acme.out 7', 'cut acme.out.dead 2'])
  expect(own.now().rebuild).toEqual({ number: 2, askedAtMs: expect.any(Number) })
})
