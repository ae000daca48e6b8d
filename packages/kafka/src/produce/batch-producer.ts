// A producer for callers that must know whether a record is stored. `send` resolves after all in-sync replicas have the
// record. It rejects within the time-out, with an error that says whether the record is certainly not stored. A batch
// with an unknown outcome is retried under the same sequence numbers (docs/architecture.md 5). There is no fixed delay
// before a batch (lane.ts).
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import { loadCodec } from '../protocol/compress.ts'
import { createDelivery } from './delivery.ts'
import { createIdentities } from './identities.ts'
import type { LaneBatch } from './lane.ts'
import { createPlaces } from './places.ts'
import { produceRequestsOf } from './requests.ts'
import { createScheduler } from './scheduler.ts'
import type { BatchProducer, BatchProducerOptions } from './types.ts'
import { identify, startAnew } from './writer.ts'

const STEP_TIMEOUT_MS_MAX = 3_000
const BATCH_BYTES_MAX = 1_000_000

export function createBatchProducer(kafka: Kafka, options: BatchProducerOptions): BatchProducer {
  const { log, deletedTopics, cluster } = internalsOf(kafka)
  loadCodec(options.compression ?? 'none')
  const leave = cluster.join()
  const stepTimeoutMs = Math.min(STEP_TIMEOUT_MS_MAX, options.produceTimeoutMs)
  const places = createPlaces(cluster, stepTimeoutMs)
  const identities = createIdentities(cluster, stepTimeoutMs)
  const requests = produceRequestsOf(kafka)
  const deliver = createDelivery<LaneBatch>({
    places,
    requests,
    identify: (batch, broker) => identify(batch, identities, broker),
    renumber(batch) {
      startAnew(batch.writer)
      batch.producer = undefined
    },
  })
  const { pace, giveUp } = requests
  const limits = { batchBytesMax: BATCH_BYTES_MAX, ...options, pace, giveUp }
  const scheduler = createScheduler(deliver, log, limits)

  const forgetTopic = (topic: string) => {
    places.forget(topic)
    // The topic's partitions must get a new producer id (identities.ts).
    identities.renew()
    scheduler.forgetTopic(topic)
  }
  const unsubscribe = deletedTopics.subscribe(forgetTopic)

  async function close(): Promise<void> {
    await scheduler.drain()
    unsubscribe()
    leave()
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
