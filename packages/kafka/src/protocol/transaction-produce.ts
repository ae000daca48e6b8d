// One produce request of a transaction, for one partition, in the form that kafkajs's connections send.
import type { ProtocolCall } from 'kafkajs/src/broker/index.js'
import Encoder from 'kafkajs/src/protocol/encoder.js'
import produceResponse from 'kafkajs/src/protocol/requests/produce/v7/response.js'

import type { AddressedRecord } from './out-record.ts'
import { batchBytesMaxOf, bodyBytesOf, writeBatch } from './record-batch.ts'
import type { SizedRecord } from './record-batch.ts'

export type ProducerIdentity = {
  readonly transactionalId: string
  readonly producerId: string
  readonly producerEpoch: number
}

export type TransactionBatch = {
  readonly topic: string
  readonly partition: number
  /** Records that this producer has written to the partition before. */
  readonly sequence: number
  readonly records: readonly AddressedRecord[]
}

type ProduceAnswer = {
  topics: { partitions: { partition: number; baseOffset: string }[] }[]
}

const PRODUCE = { apiKey: 0, apiVersion: 7, apiName: 'Produce' }
const ALL_IN_SYNC_REPLICAS = -1
const REPLICAS_TIMEOUT_MS = 10_000

// Produce = transactionalId:string acks:2 timeout:4
//           topics:4 *(topic:string partitions:4 *(partition:4 size:4 batch))
export function encodeTransactionalProduce(
  identity: ProducerIdentity,
  batch: TransactionBatch,
): ProtocolCall<ProduceAnswer> {
  const bytes = encodeBatch(identity, batch)
  const encode = () =>
    Promise.resolve(
      new Encoder()
        .writeString(identity.transactionalId)
        .writeInt16(ALL_IN_SYNC_REPLICAS)
        .writeInt32(REPLICAS_TIMEOUT_MS)
        .writeInt32(1)
        .writeString(batch.topic)
        .writeInt32(1)
        .writeInt32(batch.partition)
        .writeInt32(bytes.length)
        .writeBuffer(bytes),
    )
  return { request: { ...PRODUCE, encode }, response: produceResponse }
}

function encodeBatch(identity: ProducerIdentity, batch: TransactionBatch): Buffer {
  const nowMs = Date.now()
  const sized = batch.records.map((record): SizedRecord => {
    const { key, value, headers = {}, timestampMs = nowMs } = record
    const complete = { key, value, headers, timestampMs }
    return { record: complete, bodyBytes: bodyBytesOf(complete) }
  })
  const bytes = Buffer.allocUnsafe(batchBytesMaxOf(sized, 0))
  const end = writeBatch(bytes, 0, sized, 0, {
    id: BigInt(identity.producerId),
    epoch: identity.producerEpoch,
    sequence: batch.sequence,
  })
  return bytes.subarray(0, end)
}
