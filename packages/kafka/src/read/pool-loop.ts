// Fetches from one broker without a session, for readers that are new, are behind, or can't be in a session. Each
// request covers some of the readers in turn, and the broker responds without waiting.
import type { FetchAnswer, FetchedPartition, FetchRequest } from '../protocol/fetch.ts'
import { createBell } from './bell.ts'
import { byTopic } from './fetch-session.ts'
import { keyOf, askedOf } from './fetch-reader.ts'
import type { Reader } from './fetch-reader.ts'

export type PoolHooks = {
  ask(request: FetchRequest, purpose: 'pool'): Promise<FetchAnswer>
  /** `isRest`: the partition contains nothing more up to its end. */
  take(reader: Reader, fetched: FetchedPartition, isRest: boolean): Promise<void>
  failed(readers: readonly Reader[], error: unknown): void
}

export type PoolLoop = {
  hold(reader: Reader): void
  letGo(reader: Reader): void
  ring(): void
  run(signal: AbortSignal): Promise<void>
}

const AT_ONCE_MAX = 200
const BYTES_MAX = 4_194_304
const NO_SESSION = { id: 0, epoch: -1 }

export function createPoolLoop(hooks: PoolHooks): PoolLoop {
  const held = new Set<Reader>()
  const bell = createBell()

  async function round(): Promise<void> {
    const asked = turnOf(held, performance.now())
    if (asked.size === 0) return bell.wait(untilNext(held))
    const readers = [...asked.values()]
    const lives = new Map(readers.map((reader) => [reader, reader.life]))
    const isAsked = (reader: Reader) => held.has(reader) && lives.get(reader) === reader.life
    // Moves these readers to the end of the queue.
    for (const reader of readers) if (held.delete(reader)) held.add(reader)
    try {
      const { partitions, errorCode } = await hooks.ask(requestFor(readers), 'pool')
      if (errorCode !== 0) throw new TypeError(`a fetch without a session ended with ${errorCode}`)
      // An empty response wasn't cut off by its size limit. So no records are left, even if the log ends later after
      // compaction.
      const isRest = partitions.every(({ records }) => records.length === 0)
      for (const fetched of partitions) {
        const reader = asked.get(keyOf(fetched))
        if (reader !== undefined && isAsked(reader)) await hooks.take(reader, fetched, isRest)
      }
    } catch (error) {
      hooks.failed(readers.filter(isAsked), error)
    }
  }

  return {
    hold(reader) {
      held.add(reader)
      reader.home = 'pool'
      bell.ring()
    },
    letGo: (reader) => held.delete(reader),
    ring: bell.ring,
    async run(signal) {
      while (!signal.aborted) await round()
    },
  }
}

/** Returns the readers for the next request, with each partition once, and all with the same isolation. */
export function turnOf(held: Iterable<Reader>, nowMs: number): Map<string, Reader> {
  const asked = new Map<string, Reader>()
  let isolation: Reader['isolation'] | undefined
  for (const reader of held) {
    if (reader.notBeforeMs > nowMs) continue
    isolation ??= reader.isolation
    const key = keyOf(askedOf(reader))
    if (reader.isolation === isolation && !asked.has(key)) asked.set(key, reader)
    if (asked.size === AT_ONCE_MAX) break
  }
  return asked
}

function requestFor(readers: readonly Reader[]): FetchRequest {
  return {
    waitMs: 0,
    bytesMax: BYTES_MAX,
    isCommittedOnly: readers[0]?.isolation === 'read_committed',
    session: NO_SESSION,
    topics: byTopic(readers.map(askedOf), (one) => one),
    forgotten: [],
  }
}

function untilNext(held: Iterable<Reader>): number | undefined {
  let nextMs = Infinity
  for (const { notBeforeMs } of held) nextMs = Math.min(nextMs, notBeforeMs)
  return nextMs === Infinity ? undefined : Math.max(1, nextMs - performance.now())
}
