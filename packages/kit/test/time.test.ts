import { expect, test } from '@jest/globals'

import { backoff, delay, oncePerTurn, pollUntil, withTimeout } from '../src/index.ts'

function take(count: number, pauses: Generator<number, never, void>): number[] {
  return Array.from({ length: count }, () => pauses.next().value)
}

test('a delay ends by itself, or rejects as aborted when it is called off before or during', async () => {
  await delay(1)
  await delay(-5)
  const controller = new AbortController()
  const waiting = delay(60_000, controller.signal)
  controller.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'kit.aborted' })
  await expect(delay(1, controller.signal)).rejects.toMatchObject({ code: 'kit.aborted' })
})

test('a time-out rejects with code and name; an outcome before it goes through as it is', async () => {
  const never = new Promise<never>(() => undefined)
  await expect(withTimeout(never, 1, 'the broker')).rejects.toMatchObject({
    code: 'kit.timeout',
    message: 'the broker took longer than 1 ms',
  })
  await expect(withTimeout(Promise.resolve(7), 1000, 'x')).resolves.toBe(7)
  await expect(withTimeout(Promise.reject(new Error('own')), 1000, 'x')).rejects.toThrow('own')
})

test('backoff doubles its upper bound up to the maximum, and its pauses are random below it', () => {
  expect(take(5, backoff({ minMs: 20, maxMs: 1000, firstMs: 200, random: () => 1 }))).toEqual([
    200, 400, 800, 1000, 1000,
  ])
  expect(take(3, backoff({ minMs: 20, maxMs: 1000, random: () => 0 }))).toEqual([20, 20, 20])
  for (const ms of take(50, backoff({ minMs: 10, maxMs: 80 }))) {
    expect(ms).toBeGreaterThanOrEqual(10)
    expect(ms).toBeLessThanOrEqual(80)
  }
})

test('polling gives the first thing that is there, counting 0 and the empty string', async () => {
  const seen: (number | undefined | false)[] = [undefined, false, 0]
  expect(await pollUntil(() => seen.shift(), { deadlineMs: 5000, everyMs: 1 })).toBe(0)
})

test('polling gives up at the deadline, also when a look hangs, and passes on an error', async () => {
  const timeout = { code: 'kit.timeout' }
  const bounds = { deadlineMs: 20, everyMs: 5 }
  await expect(pollUntil(() => undefined, bounds)).rejects.toMatchObject(timeout)
  const hanging = () => new Promise<true>(() => undefined)
  await expect(pollUntil(hanging, bounds)).rejects.toMatchObject(timeout)
  await expect(pollUntil(() => Promise.reject(new Error('own')), bounds)).rejects.toThrow('own')
})

test('what is read once in a turn is read anew in the next one', async () => {
  let reads = 0
  const read = oncePerTurn(() => (reads += 1))
  expect([read(), read()]).toEqual([1, 1])
  await Promise.resolve()
  expect(read()).toBe(1)
  await new Promise((resolve) => setImmediate(resolve))
  expect([read(), read()]).toEqual([2, 2])
})
