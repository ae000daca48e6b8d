// Kafka's half of a stream: its topics, and the group that derives it. Whether a stream may have them, or must lose
// them, is decided in control state before.
import { deadLetterTopicOf, groupOf, topicOf, transactionalIdOf } from '@weir/control-state'
import type { DerivedStream, InputStream, StreamRecord } from '@weir/control-state'
import type { Admin } from '@weir/kafka'
import { allPins, pinTopics, streamPins } from './topic-pins.ts'

export type StreamTopics = {
  /** The name of a topic that is there already and so isn't the stream's; then none is made. */
  make(stream: StreamRecord): Promise<string | undefined>
  /** Where a new output starts in its input, by partition. */
  startOffsets(input: InputStream, from: DerivedStream['from']): Promise<string[]>
  /** No deriver can commit any more, and nothing remembers the group. @throws AppError `group_not_empty` */
  endDerivation(output: DerivedStream): Promise<void>
  delete(topic: string): Promise<void>
  /** One that holds nothing; any other stays. */
  deleteEmpty(topic: string): Promise<void>
}

/** Those that a stream has. */
export const topicsOf = (stream: StreamRecord): string[] =>
  stream.kind === 'derived' ? [topicOf(stream), deadLetterTopicOf(stream)] : [topicOf(stream)]

export function createStreamTopics(
  { topics, offsets, groups, configs }: Pick<Admin, 'topics' | 'offsets' | 'groups' | 'configs'>,
  /** The broker's default when undefined. */
  replicationFactor: number | undefined,
): StreamTopics {
  return {
    async make(stream) {
      const others = await createAll(topics, stream, replicationFactor)
      if (others !== undefined) return others
      // On how many brokers they lie by default is only known now.
      if (replicationFactor === undefined)
        await pinTopics(configs, new Map(topicsOf(stream).map((topic) => [topic, streamPins])))
      return undefined
    },

    async startOffsets(input, from) {
      const topic = topicOf(input)
      const starts =
        from === 'earliest'
          ? await offsets.earliest(topic)
          : await offsets.ends(topic, { isolation: 'read_uncommitted' })
      return starts.map(String)
    },

    async endDerivation(output) {
      for (let partition = 0; partition < output.partitions; partition++)
        await groups.fence(transactionalIdOf(output, partition))
      await groups.delete(groupOf(output))
    },

    async delete(topic) {
      if (await topics.exists(topic)) await topics.delete(topic)
    },

    async deleteEmpty(topic) {
      if ((await topics.exists(topic)) && (await topics.isEmpty(topic))) await topics.delete(topic)
    },
  }
}

/** All of them or none. */
async function createAll(
  topics: Admin['topics'],
  stream: StreamRecord,
  replicationFactor: number | undefined,
): Promise<string | undefined> {
  const { partitions } = stream
  const config = allPins(streamPins, replicationFactor)
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
