// Groups batches into produce requests, and gives each batch the response of its partition. All producers of a handle
// share its queues, one per broker. A queue has one request in flight, because a broker processes one at a time.
// Batches that become ready meanwhile share the next request. A batch that waits here is certainly not sent. Batches
// contain no closures of this file, because with one per batch the garbage collector took a third of ingest's time.
import type { Connection } from '#client-library'

import { isOver, pack, roomFor } from './batch.ts'
import type { WireBatch } from './batch.ts'
import type { Cluster } from '../connect/cluster.ts'
import { notSent } from '../connect/gate.ts'
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import type { BrokerRequest } from '../connect/requests.ts'
import { createPace } from './pace.ts'
import type { Pace } from './pace.ts'
import { batchPlaceOf, PRODUCE, PRODUCE_VERSIONS, produceOn } from '../protocol/produce-wire.ts'
import type {
  PackedBatch,
  ProduceAnswer,
  ProduceAnswers,
  ProduceVersion,
} from '../protocol/produce-wire.ts'
import { KafkaError } from '../errors.ts'

export type ProduceRequests = {
  readonly pace: Pick<Pace, 'bytesMax'>
  /**
   * Rejects with KafkaError `kafka.not_sent` if the batch was certainly not sent. After any other error the batch may
   * be stored.
   */
  send(broker: number, batch: WireBatch): Promise<ProduceAnswer>
  /**
   * Removes a waiting batch that need not be sent any more. If no caller waits for any batch in flight, ends the
   * connection.
   */
  giveUp(batch: WireBatch): void
}

type Outgoing = {
  readonly batch: WireBatch
  resolve(answer: ProduceAnswer): void
  reject(error: unknown): void
}

type Line = {
  readonly waiting: Outgoing[]
  isWorking: boolean
  /**
   * The buffer for the request in flight. With a buffer per request, the garbage collector took more time than
   * everything else.
   */
  room: Buffer
  /** The request in flight, without a response yet. */
  out: { readonly group: readonly Outgoing[]; readonly connection: Connection } | undefined
}

const BATCHES_PER_REQUEST_MAX = 16
const ROOM_KEPT_BYTES = 4_194_304
/**
 * The broker's time-out is shorter than ours, so that a slow replica doesn't end the connection for other partitions.
 */
const BROKERS_SHARE = 0.8

const ofHandles = new WeakMap<Kafka, ProduceRequests>()

export function produceRequestsOf(kafka: Kafka): ProduceRequests {
  const known = ofHandles.get(kafka) ?? createProduceRequests(internalsOf(kafka).cluster)
  ofHandles.set(kafka, known)
  return known
}

function createProduceRequests(cluster: Cluster): ProduceRequests {
  const lines = new Map<number, Line>()
  const pace = createPace()

  async function workOff(broker: number, line: Line): Promise<void> {
    // Batches of the same turn of the event loop share a request.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    while (line.waiting.length > 0) {
      const { request, hasBegun } = nextOf(line, pace)
      try {
        await cluster.ask(broker, request, { purpose: 'produce', untilMs: Infinity })
      } catch (error) {
        // `write` rejects the batches that were already sent.
        if (!hasBegun()) for (const { reject } of line.waiting.splice(0)) reject(notSent(NO, error))
      }
    }
    line.isWorking = false
  }

  return {
    pace,
    send: (broker, batch) =>
      new Promise((resolve, reject) => {
        const line = lines.get(broker) ?? createLine()
        lines.set(broker, line)
        line.waiting.push({ batch, resolve, reject })
        if (line.isWorking) return
        line.isWorking = true
        void workOff(broker, line)
      }),
    giveUp(batch) {
      for (const { waiting, out } of lines.values()) {
        const index = waiting.findIndex((outgoing) => outgoing.batch === batch)
        if (index >= 0) for (const { reject } of waiting.splice(index, 1)) reject(notSent(NO))
        if (out?.group.every((outgoing) => isOver(outgoing.batch))) out.connection.socket.destroy()
      }
    },
  }
}

const createLine = (): Line => ({
  waiting: [],
  isWorking: false,
  room: Buffer.alloc(0),
  out: undefined,
})

const NO = 'the batch was not sent'

/** Returns a request that takes the next batches from the queue only when the broker may get the request. */
function nextOf(line: Line, pace: Pace) {
  let hasBegun = false
  const versions = PRODUCE_VERSIONS.map((version) => ({
    version,
    send(connection: Connection): Promise<ProduceAnswers> {
      hasBegun = true
      const group = takeGroup(line.waiting, pace.bytesMax())
      if (group.length === 0) return Promise.resolve(NOTHING)
      return write({ line, group, connection, version, pace })
    },
  }))
  const request: BrokerRequest<ProduceAnswers> = { key: PRODUCE, versions }
  return { request, hasBegun: () => hasBegun }
}

const NOTHING: ProduceAnswers = { answers: new Map(), throttleTimeMs: 0 }

/** Removes the first batches from the queue, limited in number and total size, with at most one per partition. */
function takeGroup(waiting: Outgoing[], bytesMax: number): Outgoing[] {
  const places = new Set<string>()
  let bytes = 0
  let count = 0
  for (const { batch } of waiting) {
    bytes += batch.bytes
    const place = `${batch.topic}/${batch.partition}`
    if (count === BATCHES_PER_REQUEST_MAX || places.has(place)) break
    if (count > 0 && bytes > bytesMax) break
    places.add(place)
    count++
  }
  return waiting.splice(0, count)
}

type Written = {
  readonly line: Line
  readonly group: readonly Outgoing[]
  readonly connection: Connection
  readonly version: ProduceVersion
  readonly pace: Pace
}

async function write({ line, group, connection, version, pace }: Written): Promise<ProduceAnswers> {
  const patienceMs = Math.min(...group.map(({ batch }) => batch.patienceMs))
  const timer = setTimeout(() => connection.socket.destroy(), patienceMs)
  line.out = { group, connection }
  try {
    const batches = packAll(line, group)
    const timeoutMs = Math.ceil(patienceMs * BROKERS_SHARE)
    const answered = await produceOn(connection, version, { timeoutMs, batches })
    pace.answered(bytesOf(batches), answered.throttleTimeMs)
    handOut(group, answered, version)
    return answered
  } catch (error) {
    for (const { reject } of group) reject(error)
    throw error
  } finally {
    clearTimeout(timer)
    line.out = undefined
  }
}

function packAll(line: Line, group: readonly Outgoing[]): PackedBatch[] {
  const sizes = group.map(({ batch }) => roomFor(batch))
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  const room = line.room.length < bytes ? Buffer.allocUnsafeSlow(bytes) : line.room
  if (bytes <= ROOM_KEPT_BYTES) line.room = room
  let at = 0
  return group.map(({ batch }, index) => {
    const end = at + (sizes[index] ?? 0)
    const packed = pack(batch, room.subarray(at, end))
    at = end
    batch.isDoubtful = true
    const { topic, topicId, partition } = batch
    return { topic, topicId, partition, packed }
  })
}

const bytesOf = (batches: readonly PackedBatch[]): number =>
  batches.reduce((sum, { packed }) => sum + packed.length, 0)

function handOut(
  group: readonly Outgoing[],
  { answers }: ProduceAnswers,
  version: ProduceVersion,
): void {
  for (const { batch, resolve, reject } of group) {
    const answer = answers.get(batchPlaceOf(batch, version))
    if (answer) resolve(answer)
    else
      reject(
        new KafkaError('kafka.malformed', "the partition is missing from the broker's response"),
      )
  }
}
