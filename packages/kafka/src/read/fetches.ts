// Connects each reader of a handle with the broker that leads the reader's partition. After an error, finds the leader
// again and pauses, or reports that the reader can't continue.
import { ProtocolError } from '#client-library'

import { describeError } from '@weir/kit'

import { createBrokerCalls } from '../connect/broker-calls.ts'
import type { BrokerCalls } from '../connect/broker-calls.ts'
import { isRetriable } from '../connect/faults.ts'
import type { Internals, Kafka } from '../connect/internals.ts'
import { requestOf } from '../connect/requests.ts'
import { earliestOffsets, endOffsets, isGone } from '../connect/topic-calls.ts'
import { fetchApi } from '../protocol/fetch.ts'
import { createBrokerFetches } from './broker-fetches.ts'
import type { BrokerFetches, BrokerHooks } from './broker-fetches.ts'
import type { Lost, Reader } from './fetch-reader.ts'
import { createLeaderFinder } from './find-leaders.ts'
import type { LeaderFinder } from './find-leaders.ts'

export type Fetches = {
  start(reader: Reader): void
  stop(reader: Reader): void
  close(): void
}

const WITHIN_MS = 10_000
const PAUSE = { firstMs: 20, maxMs: 1_000 }
const FORGIVEN_AFTER_MS = 5_000
const NOBODY = -1

export function openFetches({ cluster, log }: Internals, kafka: Kafka): Fetches {
  const closing = new AbortController()
  const calls = createBrokerCalls(kafka)
  const brokers = new Map<number, BrokerFetches>()
  const soon = () => performance.now() + WITHIN_MS

  const troubled: Troubled = (reader, error) => {
    if (reader.state !== 'reading') return
    const { topic, partition } = reader
    const level = isRetriable(error) ? 'debug' : 'warn'
    log[level]({ topic, partition, err: describeError(error) }, 'not reading a partition')
    waitAWhile(reader, performance.now())
    finder.find(reader)
  }

  const finder = createLeaderFinder({
    describe: (topics) => cluster.describe(topics, { untilMs: soon() }),
    isGone: (topic, topicId) =>
      calls.run('describe a topic', (asked) => isGone(asked, topic, topicId)),
    found: begin,
    gone,
  })

  function begin(reader: Reader): void {
    const { broker = NOBODY } = reader.leader ?? {}
    const ask: BrokerHooks['ask'] = (request, purpose) =>
      cluster.ask(broker, requestOf(fetchApi, request), { purpose, untilMs: soon() })
    const fetches = brokers.get(broker) ?? createBrokerFetches(hooksOf(ask, calls, troubled))
    brokers.set(broker, fetches)
    fetches.add(reader)
  }

  void finder.run(closing.signal)
  return {
    // Tries the last known leader first. If it isn't the leader any more, its response says so.
    start: (reader) => (reader.leader === undefined ? finder.find(reader) : begin(reader)),
    stop: (reader) => stop(reader, finder, brokers),
    close() {
      closing.abort()
      finder.ring()
      for (const broker of brokers.values()) broker.close()
      void calls.close()
    },
  }
}

type Troubled = (reader: Reader, error: unknown) => void

const hooksOf = (ask: BrokerHooks['ask'], calls: BrokerCalls, troubled: Troubled): BrokerHooks => ({
  ask,
  failed(readers, error) {
    for (const reader of readers) troubled(reader, error)
  },
  refused: (reader, errorCode) => troubled(reader, new ProtocolError(errorCode)),
  outside: (reader) => void lookOutside(calls, reader, troubled),
  lost: lose,
})

function gone(reader: Reader): void {
  reader.state = 'lost'
  reader.sink.onGone()
}

function stop(
  reader: Reader,
  finder: LeaderFinder,
  brokers: ReadonlyMap<number, BrokerFetches>,
): void {
  finder.forget(reader)
  if (reader.leader !== undefined) brokers.get(reader.leader.broker)?.remove(reader)
}

function lose(reader: Reader, lost: Lost): void {
  if (reader.state !== 'reading') return
  reader.state = 'lost'
  reader.sink.onLost(lost)
}

/** Asks for the log's start and end, because a broker that refuses an offset doesn't return them. */
async function lookOutside(calls: BrokerCalls, reader: Reader, troubled: Troubled): Promise<void> {
  const { life, topic, partition, at } = reader
  try {
    const { first, end } = await calls.run('read offsets', async (brokers) => ({
      first: (await earliestOffsets(brokers, topic))[partition] ?? 0n,
      end: (await endOffsets(brokers, topic, 'read_uncommitted'))[partition] ?? 0n,
    }))
    if (reader.life !== life) return
    if (at < first) lose(reader, { why: 'removed', from: first })
    else if (at > end) lose(reader, { why: 'cut', from: end })
    else troubled(reader, new ProtocolError('OFFSET_NOT_AVAILABLE'))
  } catch (error) {
    if (reader.life === life) troubled(reader, error)
  }
}

/** Each further error in a row makes the pause longer. */
function waitAWhile(reader: Reader, nowMs: number): void {
  if (nowMs - reader.troubledMs > FORGIVEN_AFTER_MS) reader.failures = 0
  reader.troubledMs = nowMs
  reader.failures += 1
  const pauseMs = Math.min(PAUSE.maxMs, PAUSE.firstMs * 2 ** reader.failures)
  reader.notBeforeMs = nowMs + pauseMs * (0.5 + Math.random() / 2)
}
