// Creates and deletes a stream's topics, fences its derivers, and deletes their group. Callers change the stream's
// record in control state first.
import { deadLetterTopicOf, groupOf, topicOf, transactionalIdOf } from '@weir/control-state'
import type { DerivedStream, InputStream, StreamRecord } from '@weir/control-state'
import type { Admin, Fencer } from '@weir/kafka'
import { hasCode } from '@weir/kit'
import { refusal } from '../../errors.ts'
import { allPins, pinsOf, pinTopics, withRetention } from './topic-pins.ts'

export type StreamTopics = {
  /**
   * Creates the topics, and fences the derivers of a former stream of this name. Returns the name of a topic that
   * already existed, or that such a deriver has written to. The other new topics are then deleted.
   */
  make(stream: StreamRecord): Promise<string | undefined>
  /** Sets the topics' retention to that of the stream's record. */
  keepRecords(stream: StreamRecord): Promise<void>
  /** Returns the offsets where a new output starts in its input, by partition. */
  startOffsets(input: InputStream, from: DerivedStream['from']): Promise<string[]>
  /**
   * Fences the derivers, and deletes their group.
   * @throws KafkaError `kafka.group_not_empty`
   */
  endDerivation(output: DerivedStream): Promise<void>
  delete(topic: string): Promise<void>
  deleteEmpty(topic: string): Promise<void>
}

export const topicsOf = (stream: StreamRecord): string[] =>
  stream.kind === 'derived' ? [topicOf(stream), deadLetterTopicOf(stream)] : [topicOf(stream)]

export type StreamTopicsDeps = Pick<Admin, 'topics' | 'offsets' | 'groups' | 'configs'> & {
  readonly fencer: Pick<Fencer, 'acquire'>
}

// A broker with new partitions may delay transactions for 30 s.
const fencedWithinMs = 40_000

export function createStreamTopics(
  deps: StreamTopicsDeps,
  /** Undefined: the broker's default. */
  replicationFactor: number | undefined,
): StreamTopics {
  const { topics, offsets, groups, configs } = deps
  const deleteEmpty = async (topic: string): Promise<void> => {
    if ((await topics.exists(topic)) && (await topics.isEmpty(topic))) await topics.delete(topic)
  }

  return {
    async make(stream) {
      const others = await createAll(topics, stream, replicationFactor)
      if (others !== undefined) return others
      // Without a configured factor, the number of replicas is known only now.
      if (replicationFactor === undefined)
        await pinTopics(configs, new Map(topicsOf(stream).map((topic) => [topic, pinsOf(stream)])))
      const written = stream.kind === 'derived' ? await fenceAll(deps, stream) : undefined
      if (written !== undefined) for (const topic of topicsOf(stream)) await deleteEmpty(topic)
      return written
    },

    keepRecords: (stream) => keepRecords(configs, stream),

    async startOffsets(input, from) {
      const topic = topicOf(input)
      const starts =
        from === 'earliest'
          ? await offsets.earliest(topic)
          : await offsets.ends(topic, { isolation: 'read_uncommitted' })
      return starts.map(String)
    },

    async endDerivation(output) {
      // The partitions need no fence of their own, because they are deleted next, or were deleted by an earlier
      // clean-up.
      for (let partition = 0; partition < output.partitions; partition++)
        await groups.fence(transactionalIdOf(output, partition))
      await groups.delete(groupOf(output))
    },

    async delete(topic) {
      if (await topics.exists(topic)) await topics.delete(topic)
    },

    deleteEmpty,
  }
}

async function keepRecords(configs: Admin['configs'], stream: StreamRecord): Promise<void> {
  for (const [topic, { own }] of await configs.topics(topicsOf(stream)))
    await configs.setTopic(topic, withRetention(own, pinsOf(stream)))
}

/**
 * Fences the new topics. Until then, a writer of a former topic of that name can still write to the new topic, with its
 * old sequence numbers. Returns the first topic that such a writer has written to; otherwise undefined.
 */
async function fenceAll(
  deps: StreamTopicsDeps,
  output: DerivedStream,
): Promise<string | undefined> {
  const fences = Array.from({ length: output.partitions }, (_, partition) =>
    fencePartition(deps, output, partition),
  )
  // All fences must end. If one fails, the topics are deleted, and no other fence may still use them.
  const ended = await Promise.allSettled(fences)
  const markers = ended.flatMap((one) => {
    if (one.status === 'rejected') throw orOvertaken(one.reason)
    return one.value
  })
  if (markers.every((offset) => offset === 0n)) return undefined
  for (const topic of topicsOf(output)) if (!(await deps.topics.isEmpty(topic))) return topic
  return undefined
}

/** Returns the offsets of the fence's markers. */
async function fencePartition(
  { groups, fencer }: StreamTopicsDeps,
  output: DerivedStream,
  partition: number,
): Promise<readonly bigint[]> {
  const transactionalId = transactionalIdOf(output, partition)
  // Most names are new. This single request shows whether a name is new.
  if ((await groups.fence(transactionalId)) === 'none') return []
  const partitions = topicsOf(output).map((topic) => ({ topic, partition }))
  const fence = { transactionalId, partitions, deadlineMs: fencedWithinMs }
  return (await fencer.acquire(fence)).markers
}

const orOvertaken = (error: unknown): unknown =>
  hasCode(error, 'kafka.fenced')
    ? refusal('unavailable', 'A former stream of that name is still being derived; try again')
    : error

/** Creates all topics. If one already exists, returns its name, and deletes the new topics. */
async function createAll(
  topics: Admin['topics'],
  stream: StreamRecord,
  replicationFactor: number | undefined,
): Promise<string | undefined> {
  const { partitions } = stream
  const config = allPins(pinsOf(stream), replicationFactor)
  const made: string[] = []
  for (const topic of topicsOf(stream)) {
    if ((await topics.create({ topic, partitions, replicationFactor, config })) === 'exists') {
      for (const mine of made) await topics.delete(mine)
      return topic
    }
    made.push(topic)
  }
  return undefined
}
