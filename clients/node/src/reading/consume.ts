// Reads the unread records of a topic's places (places.ts) with one kafkajs consumer, one place after the other.
import { randomUUID } from 'node:crypto'
import type { Consumer, Kafka } from 'kafkajs'
import { ReadError } from '../errors.ts'
import { handOut, isUnread, pass } from './places.ts'
import type { Messages, Place } from './places.ts'
import type { TopicRecord } from './record.ts'
import { untilEnded, within } from './timing.ts'

export type Reading = {
  readonly topic: string
  /** The beginning of the consumer group's id. */
  readonly groupId: string
  readonly places: readonly Place[]
  onRecord(record: TopicRecord): void | Promise<void>
  /** Called when the `next` of a place may have changed. */
  onMoved(): void
  /** Returns the current first offset of each partition. */
  starts(): Promise<ReadonlyMap<number, bigint>>
  readonly signal: AbortSignal
}

/** A function of the caller has thrown the error in `cause`. */
export class CallerError extends Error {}

const maxWaitMs = 50
const leaveTimeoutMs = 2_000
const quietMs = 1_000
const quietTimesMax = 60

/**
 * Resolves when all places are read. Rejects with CallerError, ReadError, or an error of kafkajs, which may be
 * temporary.
 */
export async function consume(kafka: Kafka, reading: Reading): Promise<void> {
  const consumer = kafka.consumer({
    // A new group has no other member, so there is no rebalance, even if an earlier consumer could not leave its group.
    groupId: `${reading.groupId}-${randomUUID()}`,
    allowAutoTopicCreation: false,
    maxWaitTimeInMs: maxWaitMs,
    retry: { retries: 0, restartOnFailure: async () => false },
  })
  const progress = createProgress(consumer, reading)
  const stopWatch = watchQuiet(reading, progress)
  try {
    await untilEnded(readWith(consumer, reading, progress), reading.signal)
  } finally {
    stopWatch()
    // `disconnect` waits for a slow `onRecord`, so the time is limited.
    await within(consumer.disconnect(), leaveTimeoutMs).catch(() => undefined)
  }
}

async function readWith(
  consumer: Consumer,
  { topic, places }: Reading,
  progress: Progress,
): Promise<void> {
  const { GROUP_JOIN, END_BATCH_PROCESS, CRASH } = consumer.events
  // After a join kafkajs knows no positions. A seek at any other time could come after the first fetch.
  consumer.on(GROUP_JOIN, () => {
    for (const { partition, next } of places)
      consumer.seek({ topic, partition, offset: String(next) })
    progress.turn()
  })
  // kafkajs also emits this event for batches without records for the caller.
  consumer.on(END_BATCH_PROCESS, ({ payload: { partition, lastOffset } }) =>
    progress.passed(partition, BigInt(lastOffset) + 1n),
  )
  consumer.on(CRASH, ({ payload }) => progress.fail(payload.error))
  const start = async (): Promise<void> => {
    await consumer.connect()
    await consumer.subscribe({ topic, fromBeginning: true })
    await consumer.run({ autoCommit: false, eachBatch: ({ batch }) => progress.take(batch) })
  }
  await Promise.all([progress.done, start()])
}

type Progress = {
  readonly done: Promise<void>
  fail(error: unknown): void
  /** From now on, fetches only the first unread place. */
  turn(): void
  passed(partition: number, next: bigint): void
  take(batch: Messages): Promise<void>
  /** Returns true if no records have arrived since the last call, and none are being handled. */
  isQuiet(): boolean
}

function createProgress(consumer: Consumer, reading: Reading): Progress {
  const { places, onRecord, signal } = reading
  const { done, resolve, reject } = createOutcome()
  const activity = createActivity()
  let isOver = false
  const placeOf = (partition: number) => places.find((place) => place.partition === partition)
  const isEnded = (): boolean => isOver || signal.aborted
  const fail = (error: unknown): void => {
    isOver = true
    reject(error)
  }
  const blame = (cause: unknown): void => fail(new CallerError('not by Kafka', { cause }))
  const turn = (): void => {
    if (!fetchFirstUnread(consumer, reading)) resolve()
  }
  return {
    done,
    fail,
    turn,
    passed(partition, next) {
      const place = placeOf(partition)
      if (place === undefined || isEnded()) return
      activity.note()
      pass(place, next)
      try {
        reading.onMoved()
      } catch (error) {
        return blame(error)
      }
      if (!isUnread(place)) turn()
    },
    async take(batch) {
      const place = placeOf(batch.partition)
      if (place === undefined) return
      await activity.during(handOut(place, batch, onRecord, isEnded)).catch(blame)
    },
    isQuiet: activity.isQuiet,
  }
}

/** Fetches only the first unread place. Returns false if all places are read. */
function fetchFirstUnread(consumer: Consumer, { topic, places }: Reading): boolean {
  const current = places.find(isUnread)
  consumer.pause([{ topic }])
  if (current !== undefined) consumer.resume([{ topic, partitions: [current.partition] }])
  return current !== undefined
}

function createActivity() {
  let isBusy = false
  let isNoted = true
  return {
    note: () => void (isNoted = true),
    async during(work: Promise<void>): Promise<void> {
      isBusy = true
      await work.finally(() => (isBusy = false))
    },
    isQuiet() {
      const isQuiet = !isBusy && !isNoted
      isNoted = false
      return isQuiet
    },
  }
}

function createOutcome() {
  let resolve = (): void => undefined
  let reject: (error: unknown) => void = () => undefined
  const done = new Promise<void>((...both) => ([resolve, reject] = both))
  done.catch(() => undefined)
  return { done, resolve, reject }
}

/**
 * Skips deleted records. If Kafka has deleted the next records of a place, no record may arrive that shows this. Also
 * fails after a minute without records.
 */
function watchQuiet({ topic, places, starts }: Reading, progress: Progress): () => void {
  let times = 0
  const look = async (): Promise<void> => {
    times = progress.isQuiet() ? times + 1 : 0
    if (times > quietTimesMax)
      progress.fail(new ReadError('unreachable', `Kafka returns no more records of ${topic}`))
    if (times === 0) return
    const first = await starts()
    for (const { partition, next } of places.filter(isUnread)) {
      const start = first.get(partition) ?? 0n
      if (start > next) progress.passed(partition, start)
    }
  }
  const watch = setInterval(() => void look().catch(() => undefined), quietMs)
  return () => clearInterval(watch)
}
