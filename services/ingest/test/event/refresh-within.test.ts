import { expect, test } from '@jest/globals'
import { AppError } from '@weir/kit'
import { refreshWithin } from '../../src/event/refresh-within.ts'

const following = (refresh: () => Promise<void>, timeoutMs = 10) =>
  refreshWithin({ refresh }, timeoutMs).refresh()

test('control state that is followed in time is all there is to it', async () => {
  await following(() => Promise.resolve(), 10_000)
})

test('control state that says nothing makes the service unavailable, in time', async () => {
  await expect(following(() => new Promise(() => {}))).rejects.toMatchObject({
    code: 'unavailable',
  })
})

test.each(['kafka.not_found', 'kafka.refused', 'kafka.unavailable'])(
  'control state that fails with %s makes the service unavailable',
  async (code) => {
    const fails = () => Promise.reject(new AppError(code, 'Kafka said so'))
    await expect(following(fails, 10_000)).rejects.toMatchObject({ code: 'unavailable' })
  },
)
