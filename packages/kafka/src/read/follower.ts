// Follows compacted single-partition topics from their start, so that the owner can keep tables of their content
// (docs/architecture.md 1). The follower delivers no record twice, because a replay would restore deleted entries. If
// it must start over, it calls `onReset` first.
import { backoff, delay, describeError } from '@weir/kit'

import { createBrokerCalls } from '../connect/broker-calls.ts'
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import type { SourceRecord, Headers } from '../protocol/source-record.ts'
import { askTopics } from './ask-topics.ts'
import type { AskTopics } from './ask-topics.ts'
import { createEndWatch } from './end-watch.ts'
import type { EndWatch } from './end-watch.ts'
import { createFetcher } from './fetcher.ts'
import type { Fetcher } from './fetcher.ts'
import { isFresh, isGapTooLong, newProgress, positionIn, beginAgain } from './follow-progress.ts'
import type { FollowProgress } from './follow-progress.ts'

export type FollowedRecord = {
  readonly topic: string
  readonly key: string
  /** null: a tombstone. */
  readonly value: Buffer | null
  readonly offset: bigint
  readonly timestampMs: number
  readonly headers: Headers
}

export type FollowOptions = {
  /** Each has one partition. */
  readonly topics: readonly string[]
  /** Called with committed records in order. If it throws, it is called again with the same record. */
  onRecord(record: FollowedRecord): void
  /** The owner must discard everything, because the topics are read again from their start. */
  onReset(): void
  /**
   * The smallest `delete.retention.ms` of the topics. After a gap of more than half of it, the follower starts over,
   * because it may have missed tombstones.
   */
  readonly deleteRetentionMs?: number
  readonly catchUpTimeoutMs?: number
}

export type Follower = {
  /** Resolves once all topics exist and are read to their ends. Retries until then. */
  start(): Promise<void>
  /** The next offset to read. */
  position(topic: string): bigint
  /** Resolves once everything committed before the call is read. Throws KafkaError `kafka.unavailable` otherwise. */
  catchUp(topics?: readonly string[]): Promise<void>
  /** Returns whether all topics were read to their ends within the last 10 s. */
  isFresh(): boolean
  close(): Promise<void>
}

const DELETE_RETENTION_MS = 86_400_000
const CATCH_UP_TIMEOUT_MS = 10_000
const CHECK_EVERY_MS = 3_000
const PAUSE = { minMs: 20, maxMs: 2_000 }
const partition = 0

export function followTopics(kafka: Kafka, options: FollowOptions): Follower {
  const { topics } = options
  const calls = createBrokerCalls(kafka)
  const stopping = new AbortController()
  const progress = newProgress()
  const asked = askTopics(calls, topics)
  const ends = createEndWatch({
    askEnds: asked.ends,
    positionOf: (topic) => progress.positions.get(topic),
  })
  const following = { options, progress, asked, ends }
  const catchUp = (wanted = topics): Promise<void> => catchUpWith(following, wanted)

  return {
    async start() {
      void keepReading(kafka, following, stopping.signal)
      void keepChecking(following, stopping.signal)
      await untilCaughtUp(catchUp, stopping.signal)
    },
    position: (topic) => positionIn(progress, topic),
    catchUp,
    isFresh: () => isFresh(progress),
    async close() {
      stopping.abort()
      await calls.close()
    },
  }
}

type Following = {
  readonly options: FollowOptions
  readonly progress: FollowProgress
  readonly asked: AskTopics
  readonly ends: EndWatch
}

/** Reads the topics from their starts until some records are lost, and then starts over. */
async function keepReading(kafka: Kafka, following: Following, signal: AbortSignal): Promise<void> {
  const { options, progress, asked, ends } = following
  const { log } = internalsOf(kafka)
  const pauses = backoff(PAUSE)
  for (let isFirst = true; !signal.aborted;) {
    try {
      beginAgain(progress, await asked.starts())
      if (!isFirst) {
        log.warn({ topics: options.topics }, 'reading the topics from the start again')
        options.onReset()
      }
      isFirst = false
      ends.advanced()
      await readUntilLost(createFetcher(kafka), following, signal)
    } catch (error) {
      log.debug({ topics: options.topics, err: describeError(error) }, 'not reading yet')
    }
    await delay(pauses.next().value, signal).catch(() => undefined)
  }
}

async function readUntilLost(
  fetcher: Fetcher,
  following: Following,
  signal: AbortSignal,
): Promise<void> {
  const { progress, options } = following
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const lose = (): void => {
    // Callers must not consider the state complete until the topics are read to their ends again.
    progress.positions.clear()
    resolve()
  }
  const followings = options.topics.map((topic) =>
    fetcher.follow(
      { topic, partition, from: positionIn(progress, topic), isolation: 'read_committed' },
      {
        onRecords(records, next) {
          if (!progress.positions.has(topic)) return
          if (hasGap(options, progress)) lose()
          else take(following, topic, { records, next })
        },
        onLost: lose,
        onGone: lose,
      },
    ),
  )
  const stop = (): void => resolve()
  signal.addEventListener('abort', stop)
  if (!signal.aborted) await over
  signal.removeEventListener('abort', stop)
  for (const one of followings) one.close()
}

const hasGap = ({ deleteRetentionMs }: FollowOptions, progress: FollowProgress): boolean =>
  isGapTooLong(progress, deleteRetentionMs ?? DELETE_RETENTION_MS)

type Read = { readonly records: readonly SourceRecord[]; readonly next: bigint }

function take(
  { options, progress, ends }: Following,
  topic: string,
  { records, next }: Read,
): void {
  for (const { key, value, offset, timestampMs, headers } of records) {
    // After a rejected record, earlier records are delivered again, too.
    if (offset < positionIn(progress, topic)) continue
    const text = key?.toString('utf8') ?? ''
    options.onRecord({ topic, key: text, value, offset, timestampMs, headers })
    progress.positions.set(topic, offset + 1n)
  }
  progress.positions.set(topic, next)
  ends.advanced()
}

async function catchUpWith(
  { options, progress, ends }: Following,
  wanted: readonly string[],
): Promise<void> {
  const askedMs = await ends.reach(wanted, options.catchUpTimeoutMs ?? CATCH_UP_TIMEOUT_MS)
  if (options.topics.every((topic) => wanted.includes(topic)))
    progress.atEndMs = Math.max(progress.atEndMs, askedMs)
}

async function untilCaughtUp(catchUp: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      return await catchUp()
    } catch (error) {
      if (signal.aborted) throw error
      await delay(CHECK_EVERY_MS / 10, signal).catch(() => undefined)
    }
  }
}

/**
 * The pause starts with the request for the ends. After a response that took longer than the pause, the next request
 * follows immediately.
 */
async function keepChecking(following: Following, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const pause = delay(CHECK_EVERY_MS, signal).catch(() => undefined)
    await catchUpWith(following, following.options.topics).catch(() => undefined)
    await pause
  }
}
