// The logs of an output, when it is rebuilt: taken from whoever writes them, and cut.
import { deadLetterTopicOf, topicOf, transactionalIdOf } from '@weir/control-state'
import type { DerivedStream, LogStarts } from '@weir/control-state'
import type { Admin, Fencer } from '@weir/kafka'

export type DerivedLogs = {
  /**
   * Whoever has derived it writes nothing any more, and nothing that is acknowledged lies behind these offsets. Undefined where
   * Kafka has forgotten who that was: he stops by himself within seconds, and then it is to be taken over again.
   */
  takeOver(output: DerivedStream): Promise<LogStarts | undefined>
  /** Nobody gets a record from before these offsets. */
  cut(output: DerivedStream, starts: LogStarts): Promise<void>
}

// A broker that just got new partitions may hold up transactions for 30 s.
const takenWithinMs = 40_000

export function createDerivedLogs(
  offsets: Pick<Admin['offsets'], 'deleteBefore'>,
  fencer: Pick<Fencer, 'acquire'>,
): DerivedLogs {
  return {
    async takeOver(output) {
      const topics = [topicOf(output), deadLetterTopicOf(output)]
      const taking = Array.from({ length: output.partitions }, (_, partition) =>
        fencer.acquire({
          transactionalId: transactionalIdOf(output, partition),
          partitions: topics.map((topic) => ({ topic, partition })),
          deadlineMs: takenWithinMs,
        }),
      )
      const taken = await Promise.all(taking)
      if (taken.some(({ isNewIdentity }) => isNewIdentity)) return undefined
      const startsOf = (log: number) => taken.map(({ markers }) => String(markers[log]))
      return { derived: startsOf(0), dead: startsOf(1) }
    },
    async cut(output, { derived, dead }) {
      await offsets.deleteBefore(topicOf(output), derived.map(BigInt))
      await offsets.deleteBefore(deadLetterTopicOf(output), dead.map(BigInt))
    },
  }
}
