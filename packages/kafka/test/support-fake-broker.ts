// Brokers that speak just enough of Kafka's protocol to answer what a real one answers only in rare moments:
// errors after an append, a leader that moved, an answer that never comes. Written from Kafka's protocol
// guide, with kafkajs's decoders, so that it shares nothing with the code under test.
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

import Decoder from 'kafkajs/src/protocol/decoder.js'
import decodeBatch from 'kafkajs/src/protocol/recordBatch/v0/decoder.js'

export type Produced = { topic: string; partition: number; values: string[] }
export type Reply =
  | { errorCode: number; baseOffset: number; throttleMs?: number }
  | 'silence'
  | 'hang up'

export type FakeBroker = {
  readonly address: string
  readonly port: number
  /** Every batch that arrived, whatever was answered. */
  readonly batches: Produced[]
  readonly requests: number[]
  /** Ends all connections. */
  cutAll(): void
  close(): Promise<void>
}

export type FakeBrokerOptions = {
  reply(batch: Produced, count: number): Reply
  /** Where the leader of every partition is; this broker unless given. */
  leaderPort?(): number
}

const PRODUCE = 0
const METADATA = 3
const API_VERSIONS = 18
const PARTITIONS = 4

export async function startFakeBroker(options: FakeBrokerOptions): Promise<FakeBroker> {
  const sockets = new Set<Socket>()
  const batches: Produced[] = []
  const requests: number[] = []
  let port = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    let waiting = Buffer.alloc(0)
    let turn = Promise.resolve()
    socket.on('data', (chunk) => {
      waiting = Buffer.concat([waiting, chunk])
      while (waiting.length >= 4 && waiting.length >= 4 + waiting.readInt32BE(0)) {
        const frame = waiting.subarray(4, 4 + waiting.readInt32BE(0))
        waiting = waiting.subarray(4 + frame.length)
        turn = turn.then(() => answer(socket, new Decoder(frame)))
      }
    })
  })

  async function answer(socket: Socket, frame: Decoder): Promise<void> {
    const apiKey = frame.readInt16()
    frame.readInt16()
    const correlationId = frame.readInt32()
    frame.readString()
    const body =
      apiKey === PRODUCE
        ? await produce(frame)
        : apiKey === METADATA
          ? metadata(frame, options.leaderPort?.() ?? port)
          : apiVersions()
    if (body === 'hang up') socket.destroy()
    else if (body !== 'silence') socket.write(framed(correlationId, body))
  }

  async function produce(frame: Decoder): Promise<Buffer | 'silence' | 'hang up'> {
    const parts = await readProduce(frame)
    requests.push(parts.length)
    const answers: Buffer[] = [int32(parts.length)]
    let throttledMs = 0
    for (const batch of parts) {
      batches.push(batch)
      const reply = options.reply(batch, batches.length)
      if (typeof reply === 'string') return reply
      const { errorCode, baseOffset, throttleMs = 0 } = reply
      throttledMs = Math.max(throttledMs, throttleMs)
      answers.push(text(batch.topic), int32(1), int32(batch.partition), int16(errorCode))
      answers.push(int64(baseOffset), int64(-1), int64(0))
    }
    return Buffer.concat([...answers, int32(throttledMs)])
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

async function readProduce(frame: Decoder): Promise<Produced[]> {
  frame.readString()
  frame.readInt16()
  frame.readInt32()
  const parts: Produced[] = []
  for (let topics = frame.readInt32(); topics > 0; topics--) {
    const topic = frame.readString()
    for (let partitions = frame.readInt32(); partitions > 0; partitions--) {
      const partition = frame.readInt32()
      const { records } = await decodeBatch(new Decoder(frame.readBytes(frame.readInt32())))
      parts.push({ topic, partition, values: records.map(({ value }) => String(value)) })
    }
  }
  return parts
}

function apiVersions(): Buffer {
  const versions = [
    [PRODUCE, 3, 13],
    [METADATA, 0, 13],
    [API_VERSIONS, 0, 4],
  ]
  const entries = versions.flatMap((entry) => entry.map(int16))
  return Buffer.concat([int16(0), int32(versions.length), ...entries, int32(0)])
}

function metadata(frame: Decoder, leaderPort: number): Buffer {
  const topics = Array.from({ length: frame.readInt32() }, () => frame.readString())
  const nodeId = 7
  const node = [int32(nodeId), text('127.0.0.1'), int32(leaderPort), int16(-1)]
  const list = [int32(1), int32(nodeId)]
  const partitions = Array.from({ length: PARTITIONS }, (_, partition) =>
    Buffer.concat([int16(0), int32(partition), int32(nodeId), ...list, ...list, int32(0)]),
  )
  const known = topics.flatMap((topic) => [
    int16(0),
    text(topic),
    Buffer.from([0]),
    int32(PARTITIONS),
    ...partitions,
  ])
  const head = [int32(0), int32(1), ...node, int16(-1), int32(nodeId), int32(topics.length)]
  return Buffer.concat([...head, ...known])
}

function framed(correlationId: number, body: Buffer): Buffer {
  return Buffer.concat([int32(4 + body.length), int32(correlationId), body])
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('not listening')
  return address.port
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

function int64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(BigInt(value))
  return bytes
}

function text(value: string): Buffer {
  return Buffer.concat([int16(Buffer.byteLength(value)), Buffer.from(value)])
}
