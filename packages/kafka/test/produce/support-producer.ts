// Producers, and a fake broker whose responses the test controls.
import { afterEach, jest } from '@jest/globals'
import { createLog } from '@weir/kit'
import { createAppender } from '../../src/produce/appender.ts'
import type { AppendLane } from '../../src/produce/append-lane.ts'
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
  jest.useRealTimers()
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** After this call, timers and `performance.now` advance only when the test advances them. Sockets still work. */
export function holdClock(): void {
  jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'queueMicrotask', 'setImmediate'] })
}

/** Waits long enough for a request to arrive, and for its response to return. */
export async function someTurns(): Promise<void> {
  for (let turns = 0; turns < 100; turns += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** Advances the clock by ten milliseconds in each turn of the event loop. */
export async function passTimeUntil(isIt: () => boolean): Promise<void> {
  while (!isIt()) {
    jest.advanceTimersByTime(10)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

export async function broker(options: FakeBrokerOptions): Promise<FakeBroker> {
  const started = await startFakeBroker(options)
  cleanUps.push(started.close)
  return started
}

const handleOf = ({ address }: Reached) =>
  createKafka({
    brokers: [address],
    clientId: 'test',
    log: createLog('kafka-test', process.env['LOG_LEVEL'] ?? 'silent'),
  })

type Reached = { readonly address: string }

export function producer(
  reached: Reached,
  options: Partial<BatchProducerOptions> = {},
  kafka = handleOf(reached),
): BatchProducer {
  const made = createBatchProducer(kafka, {
    produceTimeoutMs: 30_000,
    inFlightBytesMax: 1_000_000,
    ...options,
  })
  cleanUps.push(made.close)
  return made
}

/** Returns a lane for partition 0 of a topic, with producer id 7 and epoch 2. */
export function appendLane(reached: Reached): AppendLane {
  const appender = createAppender(handleOf(reached))
  const identity = { id: 7n, epoch: 2 }
  const lane = appender.lane({ topic: 'topic', partition: 0, identity })
  cleanUps.push(async () => {
    lane.close()
    appender.close()
  })
  return lane
}

export function producersOf(reached: Reached): [BatchProducer, BatchProducer] {
  const kafka = handleOf(reached)
  return [producer(reached, {}, kafka), producer(reached, {}, kafka)]
}

export const event = (text: string) => ({
  key: 'key',
  value: Buffer.from(text),
  headers: {},
  timestampMs: 1_790_000_000_000,
})
