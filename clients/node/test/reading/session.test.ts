import { expect, test } from '@jest/globals'
import { openSession } from '../../src/reading/session.ts'

test('the reason of earlier attempts is said if the last one had too little time to fail', async () => {
  const session = await openSession({ brokers: ['127.0.0.1:1'], topic: 'acme.x', groupId: 'x' })
  const errors = [new Error('connect ECONNREFUSED'), new Error('no response in time')]
  const reading = session.run(
    () => Promise.reject(errors.shift()),
    () => (errors.length > 0 ? performance.now() : Number.NEGATIVE_INFINITY),
  )
  await expect(reading).rejects.toMatchObject({
    code: 'unreachable',
    message: 'Kafka is unreachable at 127.0.0.1:1: connect ECONNREFUSED',
  })
  await session.close()
})
