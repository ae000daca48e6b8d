// A broker's description of the cluster: the brokers, the requested topics that exist, and the leaders of their
// partitions. An error for one topic doesn't affect other topics.
import { ProtocolError, ResponseError } from '#client-library'
import type { metadataV12 } from '#client-library'

export type Partition = {
  readonly partition: number
  /** Undefined while the partition has no leader. */
  readonly leader: number | undefined
  /** Increases with each new leader. */
  readonly leaderEpoch: number
  readonly replicas: readonly number[]
}

export type Topic = { readonly id: string; readonly partitions: readonly Partition[] }

export type ClusterState = {
  readonly brokers: readonly number[]
  readonly controller: number
  /** The existing topics by name, with their partitions in order. */
  readonly topics: ReadonlyMap<string, Topic>
  /** The topics for which the broker returned an error, so that their existence is unknown. */
  readonly faults: ReadonlyMap<string, ProtocolError>
}

const NONE = 0
const UNKNOWN_TOPIC_OR_PARTITION = 3

export function toClusterState(answer: metadataV12.MetadataResponse): ClusterState {
  const topics = new Map<string, Topic>()
  const faults = new Map<string, ProtocolError>()
  for (const { name, errorCode, topicId, partitions } of answer.topics) {
    if (errorCode === NONE)
      topics.set(name ?? '', { id: topicId, partitions: toPartitions(partitions) })
    else if (errorCode !== UNKNOWN_TOPIC_OR_PARTITION)
      faults.set(name ?? '', new ProtocolError(errorCode))
  }
  return {
    brokers: answer.brokers.map(({ nodeId }) => nodeId),
    controller: answer.controllerId,
    topics,
    faults,
  }
}

const toPartitions = (found: readonly metadataV12.MetadataResponsePartition[]): Partition[] =>
  found
    .map(({ partitionIndex, leaderId, leaderEpoch, replicaNodes }) => ({
      partition: partitionIndex,
      leader: leaderId < 0 ? undefined : leaderId,
      leaderEpoch,
      replicas: replicaNodes,
    }))
    .sort((a, b) => a.partition - b.partition)

/** For `catch`: if only parts of a response failed, returns the whole response. Otherwise throws the error. */
export function answerWithFaults<Answer>(error: unknown): Answer {
  if (error instanceof ResponseError) return wholeAnswer(error)
  throw error
}

// The type ResponseError doesn't contain the type of its response.
function wholeAnswer<Answer>({ response }: ResponseError): Answer {
  return response as Answer
}
