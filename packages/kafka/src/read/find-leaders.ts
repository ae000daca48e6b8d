// Finds the leaders of readers' partitions. Concurrent searches share one request. Readers wait here while their
// partition has no leader. They also wait while one broker doesn't know their topic, until all brokers say that the
// topic is gone.
import { backoff, delay } from '@weir/kit'

import type { ClusterState } from '../connect/cluster-state.ts'
import { createBell } from './bell.ts'
import type { Reader } from './fetch-reader.ts'

export type FinderHooks = {
  describe(topics: readonly string[]): Promise<ClusterState>
  /** Returns whether no broker knows the topic any more, with this id if one is given. */
  isGone(topic: string, topicId: string | undefined): Promise<boolean>
  /** Called after `reader.leader` was set. */
  found(reader: Reader): void
  gone(reader: Reader): void
}

export type LeaderFinder = {
  find(reader: Reader): void
  forget(reader: Reader): void
  run(signal: AbortSignal): Promise<void>
  ring(): void
}

const PAUSE = { minMs: 20, maxMs: 1_000 }

export function createLeaderFinder(hooks: FinderHooks): LeaderFinder {
  const search: Search = { hooks, looking: new Set(), checking: new Set() }
  const { looking } = search
  const bell = createBell()

  /** Returns whether all leaders were found. */
  async function round(pauses: Generator<number>, signal: AbortSignal): Promise<boolean> {
    if (looking.size === 0) await bell.wait()
    if (!signal.aborted && looking.size > 0) await look(search).catch(() => undefined)
    // Checked before the pause: a reader that arrives during the pause must not make the next pause longer.
    const isNobodyLeft = looking.size === 0
    await delay(pauses.next().value, signal).catch(() => undefined)
    return isNobodyLeft
  }

  return {
    find(reader) {
      looking.add(reader)
      bell.ring()
    },
    forget: (reader) => looking.delete(reader),
    ring: bell.ring,
    async run(signal) {
      let pauses = backoff(PAUSE)
      while (!signal.aborted) if (await round(pauses, signal)) pauses = backoff(PAUSE)
    },
  }
}

type Search = {
  readonly hooks: FinderHooks
  readonly looking: Set<Reader>
  /** Topics whose existence is being checked at all brokers. */
  readonly checking: Set<string>
}

async function look(search: Search): Promise<void> {
  const { hooks, looking } = search
  const topics = new Set([...looking].map(({ topic }) => topic))
  const state = await hooks.describe([...topics])
  for (const reader of looking) {
    const outcome = leaderIn(state, reader)
    if (outcome === 'gone?') void checkGone(search, reader.topic)
    if (typeof outcome !== 'object') continue
    looking.delete(reader)
    reader.leader = outcome
    reader.topicId ??= outcome.topicId
    hooks.found(reader)
  }
}

async function checkGone({ hooks, looking, checking }: Search, topic: string): Promise<void> {
  if (checking.has(topic)) return
  checking.add(topic)
  const those = [...looking].filter((reader) => reader.topic === topic)
  try {
    for (const id of new Set(those.map(({ topicId }) => topicId))) {
      if (!(await hooks.isGone(topic, id))) continue
      for (const reader of those)
        if (reader.topicId === id && looking.delete(reader)) hooks.gone(reader)
    }
  } catch {
    // Unreachable brokers are no proof that the topic is gone.
  } finally {
    checking.delete(topic)
  }
}

/** Returns the partition's leader, `none` if there is none now, or `gone?` if this broker doesn't know the topic. */
export function leaderIn(
  { topics, faults }: Pick<ClusterState, 'topics' | 'faults'>,
  { topic, partition, topicId }: Pick<Reader, 'topic' | 'partition' | 'topicId'>,
): Exclude<Reader['leader'], undefined> | 'gone?' | 'none' {
  if (faults.has(topic)) return 'none'
  const known = topics.get(topic)
  if (known === undefined || (topicId !== undefined && known.id !== topicId)) return 'gone?'
  const found = known.partitions.find((one) => one.partition === partition)
  if (found?.leader === undefined) return 'none'
  return { topicId: known.id, broker: found.leader, epoch: found.leaderEpoch }
}
