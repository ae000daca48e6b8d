// Deletes a partition's oldest records, as retention does. Speaks Kafka's protocol directly, without Weir's client.
//
//   request  = int32 size, int16 api key 21, int16 version 1, int32 correlation, int16 -1 (no client id),
//              int32 1, string topic, int32 partitions, *(int32 partition, int64 offset), int32 timeout
//   response = int32 size, int32 correlation, int32 throttle, int32 1, string topic, int32 partitions,
//              *(int32 partition, int64 low watermark, int16 error)
import { connect } from 'node:net'

import { withTimeout } from '@weir/kit'

const API_DELETE_RECORDS = 21
const VERSION = 1
const TIMEOUT_MS = 10_000
/** The bytes of the response before its partitions, without the topic's name. */
const HEAD_BYTES = 22
/** The bytes of each partition in the response. */
const PARTITION_BYTES = 14

/** Deletes the records before these offsets, one offset per partition. */
export async function deleteRecords(
  port: number,
  topic: string,
  before: readonly bigint[],
): Promise<void> {
  const answer = await withTimeout(ask(port, requestFor(topic, before)), TIMEOUT_MS, 'retention')
  for (const index of before.keys()) {
    const at = HEAD_BYTES + topic.length + index * PARTITION_BYTES
    const error = answer.readInt16BE(at + PARTITION_BYTES - 2)
    if (error !== 0) throw new Error(`Kafka refused to delete records: error ${error}`)
  }
}

function requestFor(topic: string, before: readonly bigint[]): Buffer {
  const head = Buffer.alloc(10)
  head.writeInt16BE(API_DELETE_RECORDS, 0)
  head.writeInt16BE(VERSION, 2)
  head.writeInt16BE(-1, 8)
  const body = Buffer.concat([head, int32(1), text(topic), int32(before.length)])
  const partitions = before.map((offset, partition) => {
    const bytes = Buffer.alloc(12)
    bytes.writeInt32BE(partition, 0)
    bytes.writeBigInt64BE(offset, 4)
    return bytes
  })
  const request = Buffer.concat([body, ...partitions, int32(TIMEOUT_MS)])
  return Buffer.concat([int32(request.length), request])
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

function text(value: string): Buffer {
  const length = Buffer.alloc(2)
  length.writeInt16BE(value.length)
  return Buffer.concat([length, Buffer.from(value)])
}

/** @returns the whole response, starting with its size */
function ask(port: number, request: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write(request))
    let answer = Buffer.alloc(0)
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the broker hung up')))
    socket.on('data', (chunk: Buffer) => {
      answer = Buffer.concat([answer, chunk])
      if (answer.length < 4 || answer.length < answer.readInt32BE(0) + 4) return
      resolve(answer)
      socket.destroy()
    })
  })
}
