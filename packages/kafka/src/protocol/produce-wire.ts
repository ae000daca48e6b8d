// Writes the Produce request, and parses its response. The request contains topic ids if the broker supports them
// (Kafka 4.1), so that no batch gets into another topic of the same name. Otherwise it contains topic names.
import { createAPI, Writer } from '#client-library'
import type { Connection, Reader } from '#client-library'

export const PRODUCE = 0
/** The supported versions, the preferred one first. */
export const PRODUCE_VERSIONS = [13, 9] as const
export type ProduceVersion = (typeof PRODUCE_VERSIONS)[number]

const ALL_IN_SYNC_REPLICAS = -1

export type PackedBatch = {
  readonly topic: string
  readonly topicId: string | undefined
  readonly partition: number
  readonly packed: Buffer
}

export type ProduceRequest = {
  /** How long the broker may wait for the other replicas. */
  readonly timeoutMs: number
  readonly batches: readonly PackedBatch[]
}

export type ProduceAnswer = { readonly errorCode: number; readonly baseOffset: bigint }

export type ProduceAnswers = {
  /** The responses by `batchPlaceOf`. */
  readonly answers: ReadonlyMap<string, ProduceAnswer>
  readonly throttleTimeMs: number
}

export const produceOn = (
  connection: Connection,
  version: ProduceVersion,
  request: ProduceRequest,
): Promise<ProduceAnswers> => apis[version].async(connection, request)

const hasIds = (version: ProduceVersion): boolean => version === 13

/** Returns a key of the topic's id or name, as in a request of this version, and the partition. */
export function batchPlaceOf(
  { topic, topicId = '', partition }: Omit<PackedBatch, 'packed'>,
  version: ProduceVersion,
): string {
  return nameOf(hasIds(version) ? topicId : topic, partition)
}

const nameOf = (topic: string, partition: number): string => `${topic}/${partition}`

/*
 * request = transactionalId acks:2 timeout:4 *(topic *(partition:4 batch))
 * topic   = its name, or its id
 */
const createRequest =
  (version: ProduceVersion) =>
  ({ timeoutMs, batches }: ProduceRequest): Writer =>
    Writer.create()
      .appendString(null)
      .appendInt16(ALL_IN_SYNC_REPLICAS)
      .appendInt32(timeoutMs)
      .appendArray(byTopic(batches, version), (topics, [topic, ofTopic]) => {
        if (hasIds(version)) topics.appendUUID(topic)
        else topics.appendString(topic)
        topics.appendArray(ofTopic, (partitions, { partition, packed }) => {
          partitions.appendInt32(partition).appendBytes(packed)
        })
      })
      .appendTaggedFields()

function byTopic(
  batches: readonly PackedBatch[],
  version: ProduceVersion,
): [string, PackedBatch[]][] {
  const topics = new Map<string, PackedBatch[]>()
  for (const batch of batches) {
    const topic = hasIds(version) ? (batch.topicId ?? '') : batch.topic
    const known = topics.get(topic)
    if (known === undefined) topics.set(topic, [batch])
    else known.push(batch)
  }
  return [...topics]
}

/*
 * answer = *(topic *(partition:4 errorCode:2 baseOffset:8 appendTime:8 startOffset:8 *recordError message)) throttle:4
 */
const parseResponse =
  (version: ProduceVersion) =>
  (_correlation: number, _key: number, _version: number, reader: Reader): ProduceAnswers => {
    const answers = new Map<string, ProduceAnswer>()
    reader.readArray(() => {
      const topic = hasIds(version) ? reader.readUUID() : reader.readString()
      reader.readArray(() => {
        const partition = reader.readInt32()
        answers.set(nameOf(topic, partition), readAnswer(reader))
      })
    })
    return { answers, throttleTimeMs: reader.readInt32() }
  }

function readAnswer(reader: Reader): ProduceAnswer {
  const answer = { errorCode: reader.readInt16(), baseOffset: reader.readInt64() }
  reader.skip(16)
  reader.readArray(() => [reader.readInt32(), reader.readNullableString()])
  reader.readNullableString()
  return answer
}

const apiOf = (version: ProduceVersion) =>
  createAPI<[ProduceRequest], ProduceAnswers>(
    PRODUCE,
    version,
    createRequest(version),
    parseResponse(version),
  )
const apis = { 13: apiOf(13), 9: apiOf(9) }
