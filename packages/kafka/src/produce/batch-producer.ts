// Sends records to Kafka for callers who may say «stored» only when it is true: `send` resolves after all
// in-sync replicas have the record, and rejects in time with whether it is certain that it isn't stored.
// On purpose neither idempotent nor retrying what may have been stored (docs/architecture.md 5). No fixed
// delay: each partition has one batch out, and what arrives meanwhile makes the next one.
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import { createConnections } from './connections.ts'
import { createDelivery } from './delivery.ts'
import { createLeaders } from './leaders.ts'
import { createPace } from './pace.ts'
import { createProduceRequests } from './requests.ts'
import { createScheduler } from './scheduler.ts'
import { createSockets } from './socket.ts'
import type { BatchProducer, BatchProducerOptions } from './types.ts'

const OPEN_TIMEOUT_MS_MAX = 3_000
const BATCH_BYTES_MAX = 1_000_000
const BATCHES_PER_REQUEST_MAX = 16

export function createBatchProducer(kafka: Kafka, options: BatchProducerOptions): BatchProducer {
  const { log, deletedTopics } = internalsOf(kafka)
  const stepTimeoutMs = Math.min(OPEN_TIMEOUT_MS_MAX, options.produceTimeoutMs)
  const sockets = createSockets(kafka, stepTimeoutMs)
  const leaders = createLeaders(sockets, stepTimeoutMs)
  const connections = createConnections(sockets)
  const pace = createPace()
  const batchesMax = options.batchesPerRequestMax ?? BATCHES_PER_REQUEST_MAX
  const requests = createProduceRequests(batchesMax, pace)
  const deliver = createDelivery({ leaders, connections, requests })
  const limits = { batchBytesMax: BATCH_BYTES_MAX, ...options, pace, giveUp: requests.giveUp }
  const scheduler = createScheduler(deliver, log, limits)

  const forgetTopic = (topic: string) => {
    leaders.forget(topic)
    scheduler.forgetTopic(topic)
  }
  const unsubscribe = deletedTopics.subscribe(forgetTopic)

  async function close(): Promise<void> {
    await scheduler.drain()
    unsubscribe()
    connections.close()
    leaders.close()
  }
  let closing: Promise<void> | undefined
  return {
    send: scheduler.send,
    post: scheduler.post,
    inFlightBytes: scheduler.inFlightBytes,
    forgetTopic,
    close: () => (closing ??= close()),
  }
}
