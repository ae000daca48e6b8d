// Whose turn it is.
import { expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { createTurns } from '../../../src/derive/flow/turns.ts'

const ignore = (): void => {}

/** Keeps the processor busy for so many ms. */
function spin(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('who has had least of the processor lately comes first, however many wait', async () => {
  const turns = createTurns(ignore)
  let left = 300
  const busy = Array.from({ length: 20 }, () => ({
    step() {
      spin(1)
      left -= 1
      return left > 0
    },
  }))
  for (const worker of busy) turns.ready(worker)
  // All of the busy ones have had a turn of at most four steps.
  await pollUntil(() => left < 300 - 20 * 4, { deadlineMs: 60_000, everyMs: 1 })
  let leftThen: number | undefined
  turns.ready({
    step() {
      leftThen = left
      return false
    },
  })
  const leftBefore = left
  await pollUntil(() => leftThen !== undefined, { deadlineMs: 60_000, everyMs: 1 })
  expect(leftBefore - (leftThen ?? 0)).toBeLessThanOrEqual(4)
})

test('a turn lasts some milliseconds, and then others have theirs', async () => {
  const turns = createTurns(ignore)
  const order: string[] = []
  const workerOf = (name: string) => {
    let steps = 0
    return {
      step() {
        order.push(name)
        spin(1)
        steps += 1
        return steps < 20
      },
    }
  }
  turns.ready(workerOf('a'))
  turns.ready(workerOf('b'))
  await pollUntil(() => order.length === 40, { deadlineMs: 60_000, everyMs: 1 })
  expect(order.indexOf('b')).toBeLessThan(8)
})

test('who fails is told of, holds up nobody, and has another turn', async () => {
  const failures: unknown[] = []
  const turns = createTurns((error) => failures.push(error))
  let steps = 0
  const failing = {
    step() {
      steps += 1
      if (steps === 1) throw new Error('once')
      return false
    },
  }
  let hasRun = false
  turns.ready(failing)
  turns.ready({
    step() {
      hasRun = true
      return false
    },
  })
  await pollUntil(() => hasRun && steps === 2, { deadlineMs: 60_000 })
  expect(failures).toEqual([new Error('once')])
})

test('who becomes ready in its own turn has another one', async () => {
  const turns = createTurns(ignore)
  let steps = 0
  const worker = {
    step() {
      steps += 1
      if (steps === 1) turns.ready(worker)
      return false
    },
  }
  turns.ready(worker)
  await pollUntil(() => steps === 2, { deadlineMs: 60_000, everyMs: 1 })
})
