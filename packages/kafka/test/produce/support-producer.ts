// A producer with a broker of its own, which answers as the test says.
import { afterEach } from '@jest/globals'
import { createLog } from '@weir/kit'
import { createBatchProducer } from '../../src/produce/batch-producer.ts'
import type { BatchProducer, BatchProducerOptions } from '../../src/produce/types.ts'
import { createKafka } from '../../src/connect/client.ts'
import { startFakeBroker } from '../support-fake-broker.ts'
import type { FakeBroker, FakeBrokerOptions } from '../support-fake-broker.ts'

export const STORED = { errorCode: 0, baseOffset: 0 }
export const REFUSALS = [
  ['UNKNOWN_TOPIC_OR_PARTITION', 3],
  ['LEADER_NOT_AVAILABLE', 5],
  ['NOT_LEADER_OR_FOLLOWER', 6],
  ['NOT_ENOUGH_REPLICAS', 19],
] as const
export const NOT_APPENDED = -1

const cleanUps: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

export async function broker(options: FakeBrokerOptions): Promise<FakeBroker> {
  const started = await startFakeBroker(options)
  cleanUps.push(started.close)
  return started
}

export function producer(
  { address }: { address: string },
  options: Partial<BatchProducerOptions> = {},
): BatchProducer {
  const log = createLog('kafka-test', 'silent')
  const kafka = createKafka({ brokers: [address], clientId: 'test', log })
  const made = createBatchProducer(kafka, {
    produceTimeoutMs: 2_000,
    inFlightBytesMax: 1_000_000,
    ...options,
  })
  cleanUps.push(made.close)
  return made
}

export const event = (text: string) => ({
  key: 'key',
  value: Buffer.from(text),
  headers: {},
  timestampMs: 1_790_000_000_000,
})
