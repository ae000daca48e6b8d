import { expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { createWholeReading } from '../../src/tables/read-whole.ts'

/** Creates a reading. The test decides when each attempt ends. */
function reading(start: () => Promise<void> = async () => {}) {
  const ends: PromiseWithResolvers<void>[] = []
  const whole = createWholeReading({
    start,
    readToEnd() {
      const end = Promise.withResolvers<void>()
      ends.push(end)
      return end.promise
    },
  })
  const end = (number: number) => pollUntil(() => ends[number], { deadlineMs: 60_000 })
  return { whole, end }
}

test('topics are read once their end is reached, however often that fails', async () => {
  const { whole, end } = reading()
  const started = whole.start()
  expect(whole.isDone()).toBe(false)
  ;(await end(0)).reject(new Error('not now'))
  ;(await end(1)).resolve()
  await started
  expect(whole.isDone()).toBe(true)
})

test('topics that start over count as unread until their end is reached again', async () => {
  const { whole, end } = reading()
  const started = whole.start()
  ;(await end(0)).resolve()
  await started
  whole.startOver()
  expect(whole.isDone()).toBe(false)
  ;(await end(1)).resolve()
  expect(await pollUntil(whole.isDone, { deadlineMs: 60_000 })).toBe(true)
})

test('a start that fails is told, unless it was closed before', async () => {
  const broken = reading(async () => {
    throw new Error('no such topic')
  })
  await expect(broken.whole.start()).rejects.toThrow('no such topic')

  const { whole, end } = reading()
  let isOver = false
  const over = (): void => void (isOver = true)
  void whole.start().then(over, over)
  const first = await end(0)
  whole.close()
  first.reject(new Error('closed'))
  await new Promise((resolve) => setTimeout(resolve, 700)) // longer than the pause before the next attempt
  expect(isOver).toBe(false)
})
