// Brokers with just enough of Kafka's protocol to give responses that a real broker gives only rarely: errors after an
// append, a moved leader, no response at all. Written from Kafka's protocol guide with the public parts of
// @platformatic/kafka, so that they share no code with src.
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

import { Reader, Writer, readRecordsBatch } from '@platformatic/kafka'

export type Produced = {
  readonly topic: string
  readonly partition: number
  readonly values: string[]
  readonly producerId: bigint
  readonly sequence: number
  /** The batch's bytes, in hexadecimal. */
  readonly bytes: string
}
export type Reply =
  | { errorCode: number; baseOffset: number; throttleMs?: number }
  | 'silence'
  | 'hang up'

export type FakeBroker = {
  readonly address: string
  readonly port: number
  /** Every batch that arrived, whatever the response. */
  readonly batches: Produced[]
  readonly requests: number[]
  /** Ends all connections. */
  cutAll(): void
  close(): Promise<void>
}

export type FakeBrokerOptions = {
  reply(batch: Produced, count: number): Reply
  /** The port of the leader of all partitions; this broker's by default. */
  leaderPort?(): number
  /** The id of all topics. */
  topicId?(): string
  /** Version 13 is the first with topic ids. */
  readonly produceVersionMax?: number
}

const PRODUCE = 0
const METADATA = 3
const API_VERSIONS = 18
const INIT_PRODUCER_ID = 22
const WITH_IDS = 13
const PARTITIONS = 4
const NODE_ID = 7
export const TOPIC_ID = '11111111-2222-3333-4444-555555555555'
export const FIRST_PRODUCER_ID = 100n

type Answer = Writer | 'silence' | 'hang up'
type Request = { readonly version: number; readonly body: Reader }

export async function startFakeBroker(options: FakeBrokerOptions): Promise<FakeBroker> {
  const sockets = new Set<Socket>()
  const batches: Produced[] = []
  const requests: number[] = []
  let producerId = FIRST_PRODUCER_ID
  let port = 0
  const topicId = () => options.topicId?.() ?? TOPIC_ID

  const answers: Record<number, (request: Request) => Answer> = {
    [PRODUCE]: produce,
    [METADATA]: ({ body }) => metadata(body, { port: options.leaderPort?.() ?? port, topicId }),
    [INIT_PRODUCER_ID]: () => initProducerId(producerId++),
    [API_VERSIONS]: () => apiVersions(options.produceVersionMax ?? WITH_IDS),
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    onFrames(socket, (frame) => answer(socket, Reader.from(frame)))
  })

  function answer(socket: Socket, frame: Reader): void {
    const apiKey = frame.readInt16()
    const version = frame.readInt16()
    const correlationId = frame.readInt32()
    frame.readNullableString(false)
    frame.readTaggedFields()
    const body = answers[apiKey]?.({ version, body: frame }) ?? 'hang up'
    if (body === 'hang up') return void socket.destroy()
    if (body === 'silence') return
    const head = Writer.create().appendInt32(correlationId)
    if (apiKey !== API_VERSIONS) head.appendTaggedFields()
    socket.write(head.appendFrom(body).prependLength().buffer)
  }

  function produce({ version, body }: Request): Answer {
    const parts = readProduce(body, version)
    requests.push(parts.length)
    const replies: [Produced, Exclude<Reply, string>][] = []
    for (const batch of parts) {
      batches.push(batch)
      const reply = options.reply(batch, batches.length)
      if (typeof reply === 'string') return reply
      replies.push([batch, reply])
    }
    return produced(replies, version)
  }

  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  port = portOf(server.address())
  return {
    address: `127.0.0.1:${port}`,
    port,
    batches,
    requests,
    cutAll() {
      for (const socket of sockets) socket.destroy()
    },
    close: () =>
      new Promise((closed) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => closed())
      }),
  }
}

function onFrames(socket: Socket, onFrame: (frame: Buffer) => void): void {
  let waiting = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    waiting = Buffer.concat([waiting, chunk])
    while (waiting.length >= 4 && waiting.length >= 4 + waiting.readInt32BE(0)) {
      const end = 4 + waiting.readInt32BE(0)
      const frame = waiting.subarray(4, end)
      waiting = waiting.subarray(end)
      onFrame(frame)
    }
  })
}

function readProduce(body: Reader, version: number): Produced[] {
  body.readNullableString()
  body.skip(2 + 4)
  const topics = body.readArray(() => {
    const topic = version < WITH_IDS ? body.readString() : body.readUUID()
    return body.readArray(() => ({ topic, partition: body.readInt32(), bytes: body.readBytes() }))
  })
  return topics.flat().map(({ topic, partition, bytes }) => {
    const { records, producerId, firstSequence } = readRecordsBatch(Reader.from(bytes))
    const values = records.map(({ value }) => String(value))
    const numbers = { producerId, sequence: firstSequence, bytes: bytes.toString('hex') }
    return { topic, partition, values, ...numbers }
  })
}

function produced(replies: readonly [Produced, Exclude<Reply, string>][], version: number): Writer {
  const throttleMs = Math.max(0, ...replies.map(([, reply]) => reply.throttleMs ?? 0))
  return Writer.create()
    .appendArray([...replies], (topics, [{ topic, partition }, { errorCode, baseOffset }]) => {
      if (version < WITH_IDS) topics.appendString(topic)
      else topics.appendUUID(topic)
      topics.appendArray([partition], (partitions, index) => {
        partitions.appendInt32(index).appendInt16(errorCode).appendInt64(BigInt(baseOffset))
        partitions
          .appendInt64(-1n)
          .appendInt64(0n)
          .appendArray([], () => undefined)
        partitions.appendString(null)
      })
    })
    .appendInt32(throttleMs)
    .appendTaggedFields()
}

function apiVersions(produceVersionMax: number): Writer {
  const versions = [
    [PRODUCE, 3, produceVersionMax],
    [METADATA, 0, 13],
    [API_VERSIONS, 0, 4],
    [INIT_PRODUCER_ID, 0, 5],
  ]
  return Writer.create()
    .appendInt16(0)
    .appendArray(versions, (writer, entry) => entry.forEach((value) => writer.appendInt16(value)))
    .appendInt32(0)
    .appendTaggedFields()
}

type Facts = { readonly port: number; readonly topicId: () => string }

function metadata(body: Reader, { port, topicId }: Facts): Writer {
  const topics = body.readArray(() => (body.skip(16), body.readString()))
  const all = [NODE_ID]
  return Writer.create()
    .appendInt32(0)
    .appendArray(all, (brokers, id) => {
      brokers.appendInt32(id).appendString('127.0.0.1').appendInt32(port).appendString(null)
    })
    .appendString(null)
    .appendInt32(NODE_ID)
    .appendArray(topics, (writer, topic) => {
      writer.appendInt16(0).appendString(topic).appendUUID(topicId()).appendBoolean(false)
      writer.appendArray([...Array(PARTITIONS).keys()], (partitions, index) => {
        partitions.appendInt16(0).appendInt32(index).appendInt32(NODE_ID).appendInt32(0)
        for (const nodes of [all, all, []])
          partitions.appendArray(nodes, (list, id) => void list.appendInt32(id), true, false)
      })
      writer.appendInt32(-1)
    })
    .appendTaggedFields()
}

const initProducerId = (id: bigint): Writer =>
  Writer.create().appendInt32(0).appendInt16(0).appendInt64(id).appendInt16(0).appendTaggedFields()

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('not listening')
  return address.port
}
