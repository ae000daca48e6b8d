// Regularly notes the positions of the partitions that this replica derives, for the next owner and for tools that show
// the lag. Also calculates the lags.
import type { LogOffsets } from '@weir/kafka'
import type { PartitionFlow } from './flow/partition-flow.ts'
import type { Stream } from './flow/stream.ts'
import type { DerivedPartition, PartitionLogs } from './partition-logs.ts'

export type Progressing = {
  readonly of: DerivedPartition
  readonly flow: Pick<PartitionFlow, 'end'>
  /** Undefined until the partition's position is known. */
  readonly stream: Stream | undefined
}

export type Progress = {
  /**
   * Notes positions that have changed, or were noted a day ago. Notes at most 1,000: those that have waited longest.
   */
  note(all: Iterable<Progressing>): Promise<void>
  /** Notes the last position of a partition. Partitions that end at the same time are noted together. */
  noteLast(one: Progressing): Promise<void>
  /** Asks Kafka for the ends of inputs that no stream is reading, for the lag. */
  lookAtEnds(all: Iterable<Progressing>): Promise<void>
}

/** Unchanged positions are noted again daily, because Kafka removes a group's offsets after a week without a commit. */
const NOTE_AGAIN_MS = 86_400_000
const AT_ONCE = 1_000

export function createProgress(
  logs: Pick<PartitionLogs, 'note'>,
  offsets: Pick<LogOffsets, 'ends'>,
): Progress {
  let isNoting = false
  let isLooking = false
  let ending: { readonly all: Progressing[]; readonly noted: Promise<void> } | undefined

  async function noteEnding(all: readonly Progressing[]): Promise<void> {
    // Lets other partitions that end at the same moment join.
    await new Promise((resolve) => setImmediate(resolve))
    ending = undefined
    await logs.note(dueOf(all))
  }

  return {
    async note(all) {
      if (isNoting) return
      isNoting = true
      const due = dueOf(all, AT_ONCE)
      if (due.length > 0) await logs.note(due)
      isNoting = false
    },
    noteLast(one) {
      if (ending !== undefined) {
        ending.all.push(one)
        return ending.noted
      }
      const all = [one]
      const noted = noteEnding(all)
      ending = { all, noted }
      return noted
    },
    async lookAtEnds(all) {
      if (isLooking) return
      isLooking = true
      await askEnds(offsets, all)
      isLooking = false
    },
  }
}

async function askEnds(
  offsets: Pick<LogOffsets, 'ends'>,
  all: Iterable<Progressing>,
): Promise<void> {
  const unseen = [...all].filter(({ flow }) => !flow.end.isSeen())
  for (const [topic, those] of Map.groupBy(unseen, ({ of }) => of.inputTopic))
    await offsets.ends(topic, { isolation: 'read_committed' }).then(
      (ends) => tellEnds(those, ends),
      () => undefined,
    )
}

function tellEnds(those: readonly Progressing[], ends: readonly bigint[]): void {
  for (const { of, flow } of those)
    if (!flow.end.isSeen()) flow.end.at = ends[of.partition] ?? flow.end.at
}

type Notes = Parameters<PartitionLogs['note']>[0]

function dueOf(all: Iterable<Progressing>, max = Infinity): Notes {
  const nowMs = performance.now()
  const due = [...all].flatMap(({ of, stream }) => {
    const next = stream?.stored
    if (stream === undefined || next === undefined) return []
    const { noted } = stream
    const isNoted = noted?.next === next && nowMs - noted.atMs < NOTE_AGAIN_MS
    return isNoted ? [] : [{ of, stream, next }]
  })
  const first =
    due.length > max ? due.toSorted((a, b) => notedMs(a) - notedMs(b)).slice(0, max) : due
  return first.map(({ of, stream, next }) => {
    stream.noted = { next, atMs: nowMs }
    return { of, next, end: stream.logEnd, epoch: stream.epoch }
  })
}

const notedMs = ({ stream }: { readonly stream: Stream }): number => stream.noted?.atMs ?? 0

/**
 * Yields the lag of each derived topic, in input events, summed over the given partitions. Leaves out a topic if the
 * position or the input's end is unknown for one of them.
 */
export function* lagsOf(
  all: Iterable<Progressing>,
): Generator<readonly [topic: string, lag: number]> {
  const lags = new Map<string, number>()
  for (const { of, flow, stream } of all) {
    const end = flow.end.at
    const next = stream?.stored
    const lag = end === undefined || next === undefined ? NaN : Number(end < next ? 0n : end - next)
    lags.set(of.outputTopic, (lags.get(of.outputTopic) ?? 0) + lag)
  }
  for (const one of lags) if (!Number.isNaN(one[1])) yield one
}
