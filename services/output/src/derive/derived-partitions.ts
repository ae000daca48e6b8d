// The partitions of a derived stream, from control state: their names in Kafka, where they begin, and whether they may
// be derived now.
import {
  deadLetterTopicOf,
  groupOf,
  isRebuilding,
  topicOf,
  transactionalIdOf,
} from '@weir/control-state'
import type { DerivedStream } from '@weir/control-state'
import type { DerivedPartition } from './find-next.ts'
import type { Served } from './served-streams.ts'

export const isDerivable = (stream: DerivedStream): boolean =>
  stream.state === 'ready' && stream.enabled && !isRebuilding(stream)

export const rebuildOf = ({ rebuild }: DerivedStream): number => rebuild?.number ?? 0

export const derivedPartitionsOf = (served: Served): DerivedPartition[] =>
  Array.from({ length: served.stream.partitions }, (_, partition) =>
    derivedPartitionOf(served, partition),
  )

export const derivedPartitionOf = (
  { stream, input }: Served,
  partition: number,
): DerivedPartition => ({
  streamId: stream.streamId,
  rebuild: rebuildOf(stream),
  transactionalId: transactionalIdOf(stream, partition),
  groupId: groupOf(stream),
  inputTopic: topicOf(input),
  outputTopic: topicOf(stream),
  deadLetterTopic: deadLetterTopicOf(stream),
  partition,
  startOffset: BigInt(stream.startOffsets?.[partition] ?? 0),
  logStarts: {
    derived: BigInt(stream.rebuild?.cut?.derived[partition] ?? 0),
    dead: BigInt(stream.rebuild?.cut?.dead[partition] ?? 0),
  },
})
