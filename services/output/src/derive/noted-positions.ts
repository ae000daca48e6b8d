// Notes positions of derived partitions as committed offsets of their groups, for the next owner and for tools that
// show the lag. Kafka accepts an offset from any client, however late. So the offset's metadata names the stream, its
// rebuild and the length of the derived log. An offset that another client committed, or that belongs to a deleted
// stream of the same name, doesn't count as a position.
import { createPositions } from '@weir/kafka'
import type { Kafka, Position } from '@weir/kafka'
import { hasCode } from '@weir/kit'
import type { Log } from '@weir/kit'

/** The key of a derived partition's noted position. */
export type NotedPartition = {
  /** The id of the derived stream. */
  readonly streamId: string
  /** How often the stream was rebuilt. Positions from before the last rebuild don't count. */
  readonly rebuild: number
  readonly groupId: string
  readonly inputTopic: string
  readonly partition: number
}

export type Noted = {
  /** The next input offset to derive. All results of earlier offsets are acknowledged. */
  readonly next: bigint
  /** The end of the acknowledged part of the derived log when the position was noted, exclusive. */
  readonly end: bigint
  /** The epoch of the owner that noted the position. */
  readonly epoch: number
}

export type Note = Noted & { readonly of: NotedPartition }

export type NotedPositions = {
  /**
   * Reads noted positions. Leaves out partitions without one. Throws KafkaError `kafka.unavailable` or `kafka.refused`.
   */
  read<Of extends NotedPartition>(of: readonly Of[]): Promise<ReadonlyMap<Of, Noted>>
  /** Replaces a wrong position. Throws KafkaError `kafka.group_not_empty`, `kafka.unavailable` or `kafka.refused`. */
  replace(note: Note): Promise<void>
  /** Sends one request per group. Never throws, but logs a warning if Kafka doesn't store a position. */
  note(notes: readonly Note[]): Promise<void>
  close(): Promise<void>
}

export type NotedPositionsDeps = {
  readonly kafka: Kafka
  readonly kafkaPrefix: string
  readonly log: Log
  readonly now: () => number
}

const TOLD_EVERY_MS = 600_000

export function createNotedPositions({ kafka, ...deps }: NotedPositionsDeps): NotedPositions {
  const positions = createPositions(kafka)
  const tell = createTelling(deps)
  return {
    async read(of) {
      const groups = Map.groupBy(of, ({ groupId }) => groupId)
      const asked = [...groups].map(([groupId, ofGroup]) => ({
        groupId,
        partitions: ofGroup.map(({ inputTopic, partition }) => ({ topic: inputTopic, partition })),
      }))
      const found = await positions.read(asked)
      return new Map(
        of.flatMap((one) => {
          const noted = notedIn(found.get(one.groupId) ?? [], one)
          return noted === undefined ? [] : [[one, noted] as const]
        }),
      )
    },
    async replace(note) {
      await positions.commit(note.of.groupId, [toPosition(note)])
    },
    async note(notes) {
      const groups = Map.groupBy(notes, ({ of }) => of.groupId)
      const committing = [...groups].map(([groupId, ofGroup]) =>
        positions
          .commit(groupId, ofGroup.map(toPosition))
          .catch((error: unknown) => tell(groupId, error)),
      )
      await Promise.all(committing)
    },
    close: positions.close,
  }
}

// metadata = "2" SP stream-id SP rebuild SP epoch SP end    ; a version; the numbers are decimal, without leading zeros
const NUMBER = '(0|[1-9]\\d{0,18})'
const METADATA = new RegExp(`^2 (\\S+) ${NUMBER} ${NUMBER} ${NUMBER}$`)

const toPosition = ({ of, next, end, epoch }: Note): Position => ({
  topic: of.inputTopic,
  partition: of.partition,
  offset: next,
  metadata: `2 ${of.streamId} ${of.rebuild} ${epoch} ${end}`,
})

function notedIn(
  positions: readonly Position[],
  { streamId, rebuild, inputTopic, partition }: NotedPartition,
): Noted | undefined {
  const found = positions.find((one) => one.topic === inputTopic && one.partition === partition)
  if (found === undefined) return undefined
  const [, notedOf, notedAfter, epoch, end] = METADATA.exec(found.metadata) ?? []
  if (notedOf !== streamId || Number(notedAfter) !== rebuild) return undefined
  if (epoch === undefined || end === undefined) return undefined
  return { next: found.offset, end: BigInt(end), epoch: Number(epoch) }
}

/** Logs an error at most every ten minutes: per group if the group has members, and otherwise once for all groups. */
function createTelling({ kafkaPrefix, log, now }: Omit<NotedPositionsDeps, 'kafka'>) {
  const toldAtMs = new Map<string, number>()
  return (groupId: string, error: unknown): void => {
    const hasMembers = hasCode(error, 'kafka.group_not_empty')
    const what = hasMembers ? groupId : ''
    if (now() - (toldAtMs.get(what) ?? -Infinity) < TOLD_EVERY_MS) return
    toldAtMs.set(what, now())
    log.warn(
      { err: error, group: kafkaPrefix + groupId },
      hasMembers
        ? 'a foreign consumer is a member of the group of a derived stream: the positions of the stream cannot be noted'
        : 'the positions of derived streams cannot be noted',
    )
  }
}
