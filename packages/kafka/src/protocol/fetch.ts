// The Fetch request and its response, in a version that all supported brokers have, with topic ids (KIP-516). The
// library's own implementation copies and unpacks every record, and fails the whole response if one partition has an
// error. Here records stay raw bytes, and an error affects only its partition.
import { Reader, Writer, createAPI } from '#client-library'

export type FetchPartition = {
  readonly partition: number
  readonly from: bigint
  /** The leader epoch that the reader knows. A leader with another epoch refuses the request. */
  readonly leaderEpoch: number
  /** The leader epoch of the last record read; -1 if unknown. It lets the broker detect a truncated log. */
  readonly lastEpoch: number
  readonly bytesMax: number
}

export type ByTopic<Partition> = readonly {
  readonly topicId: string
  readonly partitions: readonly Partition[]
}[]

export type FetchRequest = {
  readonly waitMs: number
  readonly bytesMax: number
  readonly isCommittedOnly: boolean
  /** Id 0 with epoch -1: no session. Id 0 with epoch 0: a new session. */
  readonly session: { readonly id: number; readonly epoch: number }
  readonly topics: ByTopic<FetchPartition>
  readonly forgotten: ByTopic<number>
}

export type AbortedTransaction = { readonly producerId: bigint; readonly firstOffset: bigint }

export type FetchedPartition = {
  readonly topicId: string
  readonly partition: number
  readonly errorCode: number
  readonly highWatermark: bigint
  readonly lastStableOffset: bigint
  /** The first offset where the log differs from what was read, if it does. */
  readonly divergesAt: bigint | undefined
  readonly aborted: readonly AbortedTransaction[]
  readonly records: Buffer
}

export type FetchAnswer = {
  readonly throttleTimeMs: number
  readonly errorCode: number
  readonly sessionId: number
  readonly partitions: readonly FetchedPartition[]
}

/*
 * request  = waitMs:4 bytesMin:4 bytesMax:4 isolation:1 sessionId:4 sessionEpoch:4 *topic *forgotten rack tags
 * topic    = id:16 *(partition:4 leaderEpoch:4 from:8 lastEpoch:4 logStart:8 bytesMax:4 tags) tags
 * answer   = throttleMs:4 error:2 sessionId:4 *(id:16 *fetched tags) tags
 * fetched  = partition:4 error:2 highWatermark:8 lastStable:8 logStart:8 *(producerId:8 first:8 tags) replica:4 records tags
 */
const FETCH = { key: 1, version: 16 }
const BYTES_MIN = 1
const NOT_A_REPLICA = -1n
const DIVERGING_EPOCH_TAG = 0

export const fetchApi = createAPI<[request: FetchRequest], FetchAnswer>(
  FETCH.key,
  FETCH.version,
  writeRequest,
  (_, __, ___, reader) => readAnswer(Reader.from(reader.buffer.slice())),
)

function writeRequest(request: FetchRequest): Writer {
  return Writer.create()
    .appendInt32(request.waitMs)
    .appendInt32(BYTES_MIN)
    .appendInt32(request.bytesMax)
    .appendInt8(request.isCommittedOnly ? 1 : 0)
    .appendInt32(request.session.id)
    .appendInt32(request.session.epoch)
    .appendArray([...request.topics], (topic, { topicId, partitions }) =>
      topic.appendUUID(topicId).appendArray([...partitions], writePartition),
    )
    .appendArray([...request.forgotten], (topic, { topicId, partitions }) =>
      topic
        .appendUUID(topicId)
        .appendArray([...partitions], (writer, one) => writer.appendInt32(one), true, false),
    )
    .appendString('')
    .appendTaggedFields()
}

function writePartition(to: Writer, one: FetchPartition): void {
  to.appendInt32(one.partition)
    .appendInt32(one.leaderEpoch)
    .appendInt64(one.from)
    .appendInt32(one.lastEpoch)
    .appendInt64(NOT_A_REPLICA)
    .appendInt32(one.bytesMax)
}

function readAnswer(from: Reader): FetchAnswer {
  const throttleTimeMs = from.readInt32()
  const errorCode = from.readInt16()
  const sessionId = from.readInt32()
  const topics = from.readArray((topic) => {
    const topicId = topic.readUUID()
    return topic.readArray((reader) => readPartition(reader, topicId), true, false)
  })
  return { throttleTimeMs, errorCode, sessionId, partitions: topics.flat() }
}

function readPartition(from: Reader, topicId: string): FetchedPartition {
  const partition = from.readInt32()
  const errorCode = from.readInt16()
  const highWatermark = from.readInt64()
  const lastStableOffset = from.readInt64()
  from.readInt64()
  const aborted = from.readNullableArray(() => ({
    producerId: from.readInt64(),
    firstOffset: from.readInt64(),
  }))
  from.readInt32()
  const records = from.readBytes()
  return {
    topicId,
    partition,
    errorCode,
    highWatermark,
    lastStableOffset,
    aborted: aborted ?? [],
    records,
    divergesAt: readDivergence(from),
  }
}

/** Reads the only tagged field that is needed. */
function readDivergence(from: Reader): bigint | undefined {
  let divergesAt: bigint | undefined
  for (let left = from.readUnsignedVarInt(); left > 0; left -= 1) {
    const tag = from.readUnsignedVarInt()
    const end = from.readUnsignedVarInt() + from.position
    if (tag === DIVERGING_EPOCH_TAG) {
      from.readInt32()
      divergesAt = from.readInt64()
    }
    from.position = end
  }
  return divergesAt
}
