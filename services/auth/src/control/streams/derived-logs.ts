// Prepares the logs of an output for a rebuild: fences their former writers, and deletes their records.
import { deadLetterTopicOf, topicOf, transactionalIdOf } from '@weir/control-state'
import type { DerivedStream, LogStarts } from '@weir/control-state'
import type { Admin, Fencer } from '@weir/kafka'

export type DerivedLogs = {
  /**
   * Fences the output's former writers, and returns the offsets of the fences' markers. Returns undefined if Kafka has
   * forgotten a former writer, and so could not fence it. This writer stops within seconds. Call `takeOver` again then.
   */
  takeOver(output: DerivedStream): Promise<LogStarts | undefined>
  /** Makes records before these offsets unreadable. */
  cut(output: DerivedStream, starts: LogStarts): Promise<void>
}

// A broker with new partitions may delay transactions for 30 s.
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
