// A throttling broker responds immediately, and says how long it won't read from this connection.
import { expect, test } from '@jest/globals'

import { BROKERS, uniqueName } from '../support.ts'
import { connectTo } from './cluster.ts'
import type { Place } from './cluster.ts'
import { batchOf, produceOn, readLog, valuesOf } from './log.ts'
import { useSharedBroker } from '../shared-broker.ts'
import { initProducerId } from './transactions.ts'

const { cluster, topics } = useSharedBroker()

type QuotaKey = 'producer_byte_rate' | 'request_percentage'

/** Returns functions for a client id that has this quota. */
async function limited(key: QuotaKey, value: number) {
  const clientId = uniqueName('limited')
  const entities = [{ entityType: 'client-id' as const, entityName: clientId }]
  const ops = [{ key, value, remove: false as const }]
  await topics.admin.alterClientQuotas({ entries: [{ entities, ops }] })
  const place: Place = { topic: await topics.make('limited'), partition: 0 }
  const producer = await initProducerId(cluster, null)
  const open = () => connectTo(BROKERS[0] ?? '', clientId)
  const timed = async (
    connection: Awaited<ReturnType<typeof open>>,
    sequence: number,
    bytes: number,
  ) => {
    const batch = batchOf(['x'.repeat(bytes)], { producer, sequence })
    const started = performance.now()
    const answer = await produceOn(connection, { ...place, batch })
    return { ...answer, tookMs: performance.now() - started }
  }
  return { place, open, timed }
}

const BYTES_PER_SECOND = 10_000
// More than the quota permits in ten seconds, over which Kafka averages the rate.
const TOO_MUCH_BYTES = 150_000

test('a batch over the produce quota is stored and answered before its throttle time; the next one waits for it', async () => {
  const { place, open, timed } = await limited('producer_byte_rate', BYTES_PER_SECOND)
  const connection = await open()
  const first = await timed(connection, 0, TOO_MUCH_BYTES)
  expect(first).toMatchObject({ error: 'NONE', offset: 0n })
  expect(first.throttleMs).toBeGreaterThan(1_000)
  expect(first.tookMs).toBeLessThan(first.throttleMs)
  expect(valuesOf(await readLog(cluster, place))).toHaveLength(1)

  const second = await timed(connection, 1, 10)
  expect(second.error).toBe('NONE')
  expect(second.tookMs).toBeGreaterThan(first.throttleMs / 2)
  await connection.close()
})

test('another connection of the throttled client is read, and throttled by its own first request', async () => {
  const { open, timed } = await limited('producer_byte_rate', BYTES_PER_SECOND)
  const [one, other] = [await open(), await open()]
  const first = await timed(one, 0, TOO_MUCH_BYTES)
  const second = await timed(other, 1, 10)
  expect(second).toMatchObject({ error: 'NONE', offset: 1n })
  expect(second.tookMs).toBeLessThan(first.throttleMs)
  expect(second.throttleMs).toBeGreaterThan(0)
  await Promise.all([one.close(), other.close()])
})

test('a request quota throttles too, by no more than a second at a time', async () => {
  const { open, timed } = await limited('request_percentage', 0.001)
  const connection = await open()
  const throttles: number[] = []
  for (let sequence = 0; sequence < 4; sequence++) {
    const { error, throttleMs } = await timed(connection, sequence, 10)
    expect(error).toBe('NONE')
    throttles.push(throttleMs)
  }
  expect(Math.max(...throttles)).toBeGreaterThan(0)
  expect(Math.max(...throttles)).toBeLessThanOrEqual(1_000)
  await connection.close()
})
