// The outputs that an erasure names: those that decrypt its levels, including deleted outputs, but none that was
// created after the erasure was applied.
import { expect, test } from '@jest/globals'
import { createDerived } from '../../../src/control/streams/create-stream.ts'
import { deleteOutput } from '../../../src/control/streams/delete-stream.ts'
import { outputsForReaders, outputsHolding } from '@weir/control-state'
import { memoryControl } from '../support-memory.ts'
import { eraseClicks, makeClicksOf } from '../support-scene.ts'

async function scene() {
  const memory = memoryControl()
  const { deps, follower } = memory
  await makeClicksOf(memory, { a: 0, b: 1, c: 3 })
  const output = (
    name: string,
    consentLevels: number[],
    isGranular = false,
    keyMaxAgeSeconds?: number,
  ) =>
    createDerived(deps, {
      billingId: 'acme',
      name,
      linkedStream: 'clicks',
      tags: [],
      consentLevels,
      consentLevelType: isGranular ? 'GRANULAR' : 'CUMULATIVE',
      decrypterName: 'default',
      from: 'earliest',
      ...(keyMaxAgeSeconds === undefined ? {} : { keyMaxAgeSeconds }),
    })
  await output('low', [0])
  await output('high', [2])
  await output('some', [1, 3], true)
  await output('none', [2], true)
  const erase = async (...levels: number[]) =>
    (await eraseClicks(deps, { values: ['bob'], ...(levels.length > 0 ? { levels } : {}) })).erasure
  const named = (erasure: Awaited<ReturnType<typeof erase>>) =>
    outputsHolding(follower.tables, erasure).map(({ output: { name }, levels }) => [name, levels])
  return { ...memory, output, erase, named }
}

test('an erased person may be in each output that decrypts any level, with those levels', async () => {
  const { erase, named } = await scene()
  expect(named(await erase())).toEqual([
    ['high', [0, 1]],
    ['low', [0]],
    ['some', [1, 3]],
  ])
})

test('a withdrawn consent names its levels alone, also one that no field has: the outputs got events by it', async () => {
  const { erase, named } = await scene()
  expect(named(await erase(1))).toEqual([
    ['high', [1]],
    ['some', [1]],
  ])
  expect(named(await erase(2))).toEqual([
    ['high', [2]],
    ['none', [2]],
  ])
})

test('a deleted output is named until its remains are gone, and one that is made afterwards is not', async () => {
  const { deps, erase, follower, named, output } = await scene()
  const accepted = await erase(3)
  const outputs = outputsHolding(follower.tables, accepted).map(({ output, levels }) => {
    return { streamId: output.streamId, name: output.name, levels }
  })
  const erasure = { ...accepted, appliedAtMs: deps.now(), outputs }
  await deleteOutput(deps, { billingId: 'acme', input: 'clicks', name: 'some' })
  expect(named(erasure)).toEqual([['some', [3]]])
  await output('later', [3])
  expect(named(erasure)).toEqual([['some', [3]]])
  const { appliedAtMs: _, outputs: __, ...notApplied } = erasure
  expect(named(notApplied)).toEqual([
    ['later', [3]],
    ['some', [3]],
  ])
})

test('an output whose readers decrypt is apart, and none that was made after the erasure was applied', async () => {
  const { passTime, deps, erase, follower, named, output } = await scene()
  await output('lake', [1], false, 300)
  const accepted = await erase()
  expect(named(accepted).map(([name]) => name)).not.toContain('lake')
  const erasure = { ...accepted, appliedAtMs: deps.now() }
  passTime(1)
  await output('later', [1], false, 300)
  const readers = (of: typeof accepted) =>
    outputsForReaders(follower.tables, of).map(({ output: { name }, levels }) => [name, levels])
  expect(readers(erasure)).toEqual([['lake', [0, 1]]])
  expect(readers(accepted)).toEqual([
    ['lake', [0, 1]],
    ['later', [0, 1]],
  ])
  expect(readers(await erase(2))).toEqual([])
})
