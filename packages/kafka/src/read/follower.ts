// Follows compacted single-partition topics from their start, so that its owner can hold tables of what they
// say (docs/architecture.md 1). It keeps its positions itself and never goes back: a replay would bring
// deleted things to life. Only when that can't be helped does it say `onReset`, and start over.
import { delay, hasCode } from '@weir/kit'
import type { Log } from '@weir/kit'

import { createBrokerCalls } from '../protocol/broker-calls.ts'
import type { SourceRecord, Headers } from '../protocol/source-record.ts'
import { askTopics } from './ask-topics.ts'
import type { AskTopics } from './ask-topics.ts'
import type { ConsumerEnd } from './start-consumer.ts'
import { createEndWatch } from './end-watch.ts'
import type { EndWatch } from './end-watch.ts'
import {
  isFresh,
  isGapTooLong,
  isOutside,
  isStuck,
  newProgress,
  positionIn,
  startOver,
} from './follow-progress.ts'
import type { Progress } from './follow-progress.ts'
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import { supervise } from './supervisor.ts'
import type { Supervisor } from './supervisor.ts'
import { startReader } from './reader.ts'
import { KafkaError } from '../errors.ts'

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
  /** Of one partition each. */
  readonly topics: readonly string[]
  readonly groupPrefix: string
  /** Committed records in order. What it throws stops the following until it takes the same record. */
  onRecord(record: FollowedRecord): void
  /** Forget everything: the topics come again from their start. */
  onReset(): void
  /** The smallest of the topics' settings; a longer gap than half of it can hide tombstones. */
  readonly deleteRetentionMs?: number
  readonly catchUpTimeoutMs?: number
}

export type Follower = {
  /** Resolves once all topics exist and are read to their end; keeps trying until then. */
  start(): Promise<void>
  /** The next offset to be read. */
  position(topic: string): bigint
  /** Resolves once all is read that was committed at the time of the call; else KafkaError `kafka.unavailable`. */
  catchUp(topics?: readonly string[]): Promise<void>
  /** Whether everything was read to its end at some time in the last 10 s. */
  isFresh(): boolean
  close(): Promise<void>
}

const DELETE_RETENTION_MS = 86_400_000
const CATCH_UP_TIMEOUT_MS = 10_000
const CHECK_EVERY_MS = 3_000

export function followTopics(kafka: Kafka, options: FollowOptions): Follower {
  const { topics, groupPrefix } = options
  const calls = createBrokerCalls(kafka)
  const stopping = new AbortController()
  const progress = newProgress()
  const asked = askTopics(calls, topics)
  const ends = createEndWatch({
    askEnds: asked.ends,
    positionOf: (topic) => progress.positions.get(topic),
  })
  const position = (topic: string): bigint => positionIn(progress, topic)
  const onPosition = (topic: string, _: number, next: bigint): void => {
    progress.positions.set(topic, next)
    progress.movedMs = Date.now()
    ends.advanced()
  }
  const onRecords = takeRecords(options, progress)
  const following = { options, progress, asked, ends, onPosition }
  const catchUp = (wanted = topics): Promise<void> => catchUpWith(following, wanted)
  const reader = { groupPrefix, topics, positionOf: position, onRecords, onPosition }
  let supervisor: Supervisor | undefined

  return {
    async start() {
      const prepare = createPrepare(following, internalsOf(kafka).log)
      supervisor = supervise(kafka, { topics, prepare, start: () => startReader(kafka, reader) })
      void keepChecking(following, supervisor, stopping.signal)
      await untilCaughtUp(catchUp, stopping.signal)
    },
    position,
    catchUp,
    isFresh: () => isFresh(progress),
    async close() {
      stopping.abort()
      await Promise.all([calls.close(), supervisor?.close()])
    },
  }
}

type Following = {
  readonly options: FollowOptions
  readonly progress: Progress
  readonly asked: AskTopics
  readonly ends: EndWatch
  readonly onPosition: (topic: string, partition: number, next: bigint) => void
}

const hasGap = ({ deleteRetentionMs }: FollowOptions, progress: Progress): boolean =>
  isGapTooLong(progress, deleteRetentionMs ?? DELETE_RETENTION_MS)

/** Before each reader: whether it goes on from the positions, or starts over. */
function createPrepare({ options, progress, asked, ends }: Following, log: Log) {
  const { topics } = options
  let wasAway = false
  return async (lastEnd: ConsumerEnd | undefined): Promise<boolean> => {
    const logs = await asked.logs().catch(async (error: unknown) => {
      wasAway ||= hasCode(error, 'kafka.not_found') && (await asked.isAnyGone())
      throw error
    })
    const isFirst = progress.positions.size === 0
    const isLost = wasAway || lastEnd === 'moved' || isOutside(progress, logs)
    if (isFirst || isLost || hasGap(options, progress)) {
      startOver(progress, logs)
      if (!isFirst) {
        log.warn({ topics }, 'following from the start again')
        options.onReset()
      }
    }
    wasAway = false
    ends.advanced()
    return true
  }
}

const takeRecords =
  (options: FollowOptions, progress: Progress) =>
  (topic: string, _: number, records: readonly SourceRecord[]): void => {
    if (hasGap(options, progress)) throw new KafkaError('kafka.gap', 'too long without reading')
    for (const { key, value, offset, timestampMs, headers } of records) {
      const text = key?.toString('utf8') ?? ''
      options.onRecord({ topic, key: text, value, offset, timestampMs, headers })
      progress.positions.set(topic, offset + 1n)
    }
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

async function keepChecking(
  following: Following,
  supervisor: Supervisor,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await delay(CHECK_EVERY_MS, signal).catch(() => undefined)
    if (signal.aborted) return
    await catchUpWith(following, following.options.topics).catch(() => undefined)
    if (!isStuck(following.progress)) continue
    await stepOverEmptied(following).catch(() => undefined)
    supervisor.renew()
  }
}

/** A reader is given nothing of what was compacted away, or aborted, and so doesn't move past it. */
async function stepOverEmptied({ progress, asked, onPosition }: Following): Promise<void> {
  for (const [topic, to] of (await asked.ends()).offsets) {
    const from = positionIn(progress, topic)
    const next = await asked.firstReadable(topic, from, to)
    if (next > from && positionIn(progress, topic) === from) onPosition(topic, 0, next)
  }
}
