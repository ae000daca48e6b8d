import { expect, test } from '@jest/globals'

import { createEndWatch } from '../../src/read/end-watch.ts'

const ends = (askedMs: number, offset: bigint) => ({
  askedMs,
  offsets: new Map([['topic', offset]]),
})

test('what is reached counts from the question that was answered, not from the call', async () => {
  const watch = createEndWatch({
    askEnds: () => Promise.resolve(ends(1_234, 5n)),
    positionOf: () => 5n,
  })
  expect(await watch.reach(['topic'], 1_000)).toBe(1_234)
})

test('an end that is not reached yet is waited for, and given up after the time-out', async () => {
  let position = 4n
  const watch = createEndWatch({
    askEnds: () => Promise.resolve(ends(1, 5n)),
    positionOf: () => position,
  })
  await expect(watch.reach(['topic'], 20)).rejects.toMatchObject({ code: 'kafka.unavailable' })

  const reached = watch.reach(['topic'], 10_000)
  position = 5n
  await Promise.resolve()
  watch.advanced()
  expect(await reached).toBe(1)
})
