// One produce request of a transaction, for one partition. In the library's own request, sequence numbers start at 0 by
// default. The broker would take a later batch for a duplicate, and acknowledge it without storing it.
import { ProtocolError, Writer, createAPI } from '#client-library'
import type { Reader } from '#client-library'

import { requestOf } from '../connect/requests.ts'
import type { BrokerRequest } from '../connect/requests.ts'
import { packBatch } from '../protocol/record-batch.ts'
import type { SizedRecord } from '../protocol/record-batch.ts'

export type ProducerIdentity = {
  readonly transactionalId: string
  readonly producerId: bigint
  readonly producerEpoch: number
}

export type TransactionBatch = {
  readonly topic: string
  readonly partition: number
  /** The number of records that this producer has already written to the partition. */
  readonly sequence: number
  readonly records: readonly SizedRecord[]
}

type ProduceAnswer = {
  readonly throttleTimeMs: number
  readonly partitions: readonly { readonly errorCode: number; readonly baseOffset: bigint }[]
}

const PRODUCE = 0
// The first version with compact fields. Versions from 12 on add partitions to the transaction implicitly.
const VERSION = 9
const ALL_IN_SYNC_REPLICAS = -1
const REPLICAS_TIMEOUT_MS = 10_000

const produceApi = createAPI<[ProducerIdentity, TransactionBatch], ProduceAnswer>(
  PRODUCE,
  VERSION,
  writeProduce,
  readProduce,
)

export const produceRequest = (
  identity: ProducerIdentity,
  batch: TransactionBatch,
): BrokerRequest<ProduceAnswer> => requestOf(produceApi, identity, batch)

/** Returns the offset of the first record. Throws the broker's error for the batch. */
export function offsetIn({ partitions: [partition] }: ProduceAnswer): bigint {
  if (partition === undefined)
    throw new TypeError("a partition is missing from a broker's response")
  if (partition.errorCode !== 0) throw new ProtocolError(partition.errorCode)
  return partition.baseOffset
}

// Produce = transactionalId:string acks:2 timeout:4 topics:count *(topic:string partitions:count *(partition:4 batch:bytes))
// Strings, counts and bytes are compact. Each structure ends with its tagged fields, of which there are none.
function writeProduce(identity: ProducerIdentity, batch: TransactionBatch): Writer {
  const bytes = encodeBatch(identity, batch)
  return Writer.create()
    .appendString(identity.transactionalId)
    .appendInt16(ALL_IN_SYNC_REPLICAS)
    .appendInt32(REPLICAS_TIMEOUT_MS)
    .appendArray([batch], (topics, { topic, partition }) =>
      topics
        .appendString(topic)
        .appendArray([partition], (partitions) =>
          partitions.appendInt32(partition).appendBytes(bytes),
        ),
    )
    .appendTaggedFields()
}

// answer = topics:count *(topic:string partitions:count *(partition:4 error:2 baseOffset:8 logAppendTime:8 logStartOffset:8
//          recordErrors:count *(index:4 message:string) message:string)) throttle:4
function readProduce(_id: number, _key: number, _version: number, reader: Reader): ProduceAnswer {
  const topics = reader.readArray(() => {
    reader.readString()
    return reader.readArray(() => {
      reader.readInt32()
      const errorCode = reader.readInt16()
      const baseOffset = reader.readInt64()
      reader.readInt64()
      reader.readInt64()
      reader.readArray(() => [reader.readInt32(), reader.readNullableString()])
      reader.readNullableString()
      return { errorCode, baseOffset }
    })
  })
  return { partitions: topics.flat(), throttleTimeMs: reader.readInt32() }
}

function encodeBatch(identity: ProducerIdentity, { sequence, records }: TransactionBatch): Buffer {
  const producer = {
    id: identity.producerId,
    epoch: identity.producerEpoch,
    sequence,
    isTransactional: true,
  }
  return packBatch(records, 0, { producer })
}
