import { expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { createFlowTurns } from '../../../src/derive/flow/turns.ts'

const account = 'acme'
const ignore = (): void => {}

/** Keeps the processor busy for this many milliseconds. */
function spin(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('who has had least of the processor lately comes first, however many wait', async () => {
  const turns = createFlowTurns(ignore)
  let left = 300
  const busy = Array.from({ length: 20 }, () => ({
    account,
    step() {
      spin(1)
      left -= 1
      return left > 0
    },
  }))
  for (const worker of busy) turns.ready(worker)
  // A turn has at most four steps. So after more than 80 steps, each of the 20 workers has had a turn.
  await pollUntil(() => left < 300 - 20 * 4, { deadlineMs: 60_000, everyMs: 1 })
  let leftThen: number | undefined
  turns.ready({
    account,
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
  const turns = createFlowTurns(ignore)
  const order: string[] = []
  const workerOf = (name: string) => {
    let steps = 0
    return {
      account,
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
  const turns = createFlowTurns((error) => failures.push(error))
  let steps = 0
  const failing = {
    account,
    step() {
      steps += 1
      if (steps === 1) throw new Error('once')
      return false
    },
  }
  let hasRun = false
  turns.ready(failing)
  turns.ready({
    account,
    step() {
      hasRun = true
      return false
    },
  })
  await pollUntil(() => hasRun && steps === 2, { deadlineMs: 60_000 })
  expect(failures).toEqual([new Error('once')])
})

test('who becomes ready in its own turn has another one', async () => {
  const turns = createFlowTurns(ignore)
  let steps = 0
  const worker = {
    account,
    step() {
      steps += 1
      if (steps === 1) turns.ready(worker)
      return false
    },
  }
  turns.ready(worker)
  await pollUntil(() => steps === 2, { deadlineMs: 60_000, everyMs: 1 })
})

/** A worker that works until `isOver`, with steps of `ms` milliseconds, and counts its steps. */
function busyWorker(ofAccount: string, ms: number) {
  const worker = {
    account: ofAccount,
    steps: 0,
    isOver: false,
    step() {
      spin(ms)
      worker.steps += 1
      return !worker.isOver
    },
  }
  return worker
}

test('accounts share the processor, however many partitions one of them has', async () => {
  const turns = createFlowTurns(ignore)
  const loud = Array.from({ length: 20 }, () => busyWorker('loud', 1))
  const quiet = busyWorker('quiet', 1)
  const all = [...loud, quiet]
  for (const worker of all) turns.ready(worker)
  await pollUntil(() => quiet.steps >= 200, { deadlineMs: 60_000, everyMs: 1 })
  const loudSteps = loud.reduce((sum, { steps }) => sum + steps, 0)
  for (const worker of all) worker.isOver = true
  expect(loudSteps / quiet.steps).toBeLessThan(2)
})

test('an account rests after a turn that was long, but only while another has something to do', async () => {
  const turns = createFlowTurns(ignore)
  const loud = busyWorker('loud', 30)
  turns.ready(loud)
  await pollUntil(() => loud.steps >= 10, { deadlineMs: 60_000, everyMs: 1 })
  const seen: number[] = []
  const quiet = {
    account: 'quiet',
    step() {
      seen.push(loud.steps)
      return false
    },
  }
  // `quiet` becomes ready repeatedly, for less than a millisecond each time, and records how many steps the other
  // worker has done.
  await pollUntil(
    () => {
      turns.ready(quiet)
      return seen.length >= 300
    },
    { deadlineMs: 60_000, everyMs: 1 },
  )
  loud.isOver = true
  const found = seen.filter((steps, at) => at > 0 && steps === seen[at - 1]).length
  expect(found / seen.length).toBeGreaterThan(0.7)
  expect(loud.steps).toBeGreaterThan(10) // it continues
})
