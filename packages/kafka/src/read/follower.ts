// Follows compacted single-partition topics from their start, so that its owner can hold tables of what they
// say (docs/architecture.md 1). It keeps its positions itself and never goes back: a replay would bring
// deleted things to life. Only when that can't be helped does it say `onReset`, and start over.
import { delay, hasCode } from '@weir/kit'

import { createBrokerCalls } from '../protocol/broker-calls.ts'
import type { SourceRecord, Headers } from '../protocol/source-record.ts'
import type { ConsumerEnd } from './start-consumer.ts'
import { firstReadable } from './committed-range.ts'
import { createEndWatch } from './end-watch.ts'
import type { Ends } from './end-watch.ts'
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import { supervise } from './supervisor.ts'
import type { Supervisor } from './supervisor.ts'
import { startReader } from './reader.ts'
import { earliestOffsets, endOffsets, isGone } from '../admin/topic-calls.ts'
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
const FRESH_FOR_MS = 10_000
const CHECK_EVERY_MS = 3_000

export function followTopics(kafka: Kafka, options: FollowOptions): Follower {
  const { topics, deleteRetentionMs = DELETE_RETENTION_MS } = options
  const { log } = internalsOf(kafka)
  const calls = createBrokerCalls(kafka)
  const stopping = new AbortController()
  const positions = new Map<string, bigint>()
  const ends = createEndWatch({ askEnds, positionOf: (topic) => positions.get(topic) })
  let supervisor: Supervisor | undefined
  let wasAway = false
  // Wall clock times: a machine that slept has a gap too.
  let startedOverMs = 0
  let atEndMs = 0
  let movedMs = 0

  async function askEach(ask: (topic: string) => Promise<bigint[]>): Promise<Map<string, bigint>> {
    const answers = topics.map(async (topic) => [topic, (await ask(topic))[0] ?? 0n] as const)
    return new Map(await Promise.all(answers))
  }

  // A broker that was away has been asked in vain before: what counts is the last try.
  function askEnds(): Promise<Ends> {
    return calls.run('read offsets', async (cluster) => ({
      askedMs: Date.now(),
      offsets: await askEach((topic) => endOffsets(cluster, topic, 'read_committed')),
    }))
  }

  const askLogs = () =>
    calls.run('read offsets', async (cluster) => ({
      earliest: await askEach((topic) => earliestOffsets(cluster, topic)),
      end: await askEach((topic) => endOffsets(cluster, topic, 'read_uncommitted')),
    }))

  const isAnyGone = () =>
    calls.run('describe a topic', async (cluster) => {
      const gone = await Promise.all(topics.map((topic) => isGone(cluster, topic)))
      return gone.includes(true)
    })

  async function prepare(lastEnd: ConsumerEnd | undefined): Promise<boolean> {
    const logs = await askLogs().catch(async (error: unknown) => {
      wasAway ||= hasCode(error, 'kafka.not_found') && (await isAnyGone())
      throw error
    })
    const isFirst = positions.size === 0
    const isOutside = topics.some((topic) => {
      const position = positions.get(topic) ?? 0n
      return position < (logs.earliest.get(topic) ?? 0n) || position > (logs.end.get(topic) ?? 0n)
    })
    if (isFirst || wasAway || lastEnd === 'moved' || isOutside || isGapTooLong()) {
      for (const [topic, offset] of logs.earliest) positions.set(topic, offset)
      startedOverMs = Date.now()
      atEndMs = 0
      if (!isFirst) {
        log.warn({ topics }, 'following from the start again')
        options.onReset()
      }
    }
    wasAway = false
    ends.advanced()
    return true
  }

  function isGapTooLong(): boolean {
    return Date.now() - Math.max(atEndMs, startedOverMs) > deleteRetentionMs / 2
  }

  function onRecords(topic: string, _: number, records: readonly SourceRecord[]): void {
    if (isGapTooLong()) throw new KafkaError('kafka.gap', 'too long without reading')
    for (const { key, value, offset, timestampMs, headers } of records) {
      const text = key?.toString('utf8') ?? ''
      options.onRecord({ topic, key: text, value, offset, timestampMs, headers })
      positions.set(topic, offset + 1n)
    }
  }

  function onPosition(topic: string, _: number, next: bigint): void {
    positions.set(topic, next)
    movedMs = Date.now()
    ends.advanced()
  }

  async function catchUp(wanted: readonly string[] = topics): Promise<void> {
    const askedMs = await ends.reach(wanted, options.catchUpTimeoutMs ?? CATCH_UP_TIMEOUT_MS)
    if (topics.every((topic) => wanted.includes(topic))) atEndMs = Math.max(atEndMs, askedMs)
  }

  const position = (topic: string) => positions.get(topic) ?? 0n

  const isFresh = () => Date.now() - atEndMs < FRESH_FOR_MS

  async function stepOverEmptied(): Promise<void> {
    for (const [topic, to] of (await askEnds()).offsets) {
      const from = position(topic)
      const next = await calls.run('read on', (cluster) =>
        firstReadable(cluster, { topic, partition: 0, from, to }),
      )
      if (next > from && position(topic) === from) onPosition(topic, 0, next)
    }
  }

  async function keepChecking(): Promise<void> {
    for (;;) {
      await delay(CHECK_EVERY_MS, stopping.signal).catch(() => undefined)
      if (stopping.signal.aborted) return
      await catchUp().catch(() => undefined)
      // A reader that neither ends nor gets on.
      if (isFresh() || Date.now() - movedMs < FRESH_FOR_MS) continue
      await stepOverEmptied().catch(() => undefined)
      supervisor?.renew()
    }
  }

  return {
    async start() {
      const { groupPrefix } = options
      const reader = { groupPrefix, topics, positionOf: position, onRecords, onPosition }
      supervisor = supervise(kafka, { topics, prepare, start: () => startReader(kafka, reader) })
      void keepChecking()
      for (;;) {
        try {
          return await catchUp()
        } catch (error) {
          if (stopping.signal.aborted) throw error
          await delay(CHECK_EVERY_MS / 10, stopping.signal).catch(() => undefined)
        }
      }
    },
    position,
    catchUp,
    isFresh,
    async close() {
      stopping.abort()
      await Promise.all([calls.close(), supervisor?.close()])
    },
  }
}
