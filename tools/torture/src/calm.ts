// The recovery after a storm: every replica of ingest acknowledges events of every stream again, and every derived
// stream catches up with its input.
import type { Isolation } from '@weir/kafka'
import { hasCode, pollUntil } from '@weir/kit'

import type { Violations } from './check/violations.ts'
import type { TestOutput, TestInput, TortureStreams } from './streams.ts'
import type { Topics } from './world/topics.ts'

export type CalmProgress = {
  /** Call when a replica acknowledged an event of the stream that was sent at `sentMs` (`performance.now()`). */
  stored(stream: string, replica: number, sentMs: number): void
  /** Returns when the latest acknowledged event was sent; -1 before the first. */
  last(stream: string, replica: number): number
}

export function createCalmProgress(): CalmProgress {
  const sent = new Map<string, number>()
  const last: CalmProgress['last'] = (stream, replica) => sent.get(`${stream} ${replica}`) ?? -1
  return {
    last,
    stored(stream, replica, sentMs) {
      sent.set(`${stream} ${replica}`, Math.max(sentMs, last(stream, replica)))
    },
  }
}

export type CalmDeps = {
  topics: Topics
  streams: TortureStreams
  progress: CalmProgress
  violations: Violations
  replicas: number
}

const STORED_WITHIN_MS = 30_000
const DERIVED_WITHIN_MS = 90_000

/** Waits until every replica has acknowledged a new event of every stream. Returns the duration in ms. */
export async function expectStored(deps: CalmDeps): Promise<number> {
  const startMs = performance.now()
  const waiting = deps.streams.inputs.flatMap(({ name }) =>
    Array.from({ length: deps.replicas }, async (_, replica) => {
      const isStored = () => deps.progress.last(name, replica) >= startMs
      await pollUntil(isStored, { deadlineMs: STORED_WITHIN_MS }).catch(() =>
        deps.violations.add('no-progress', name, `ingest-${replica + 1} acknowledges nothing`),
      )
    }),
  )
  await Promise.all(waiting)
  return performance.now() - startMs
}

export async function expectDerived(deps: CalmDeps): Promise<number> {
  const startMs = performance.now()
  const ends = new Map<TestInput, readonly bigint[]>()
  for (const input of deps.streams.inputs) ends.set(input, await deps.topics.ends(input.topic))
  const waiting = deps.streams.derived().map(async (stream) => {
    const look = () => isDerivedUpTo(deps.topics, stream, ends.get(stream.input) ?? [])
    await pollUntil(look, { deadlineMs: DERIVED_WITHIN_MS, everyMs: 300 }).catch(
      (error: unknown) => {
        if (!hasCode(error, 'kit.timeout')) throw error
        deps.violations.add('no-progress', stream.topic, 'does not get to the end of its input')
      },
    )
  })
  await Promise.all(waiting)
  return performance.now() - startMs
}

/** Without a committed offset, the position is the stream's start. */
async function isDerivedUpTo(
  topics: Topics,
  { groupId, input, start }: TestOutput,
  ends: readonly bigint[],
): Promise<boolean> {
  const { admin } = topics
  const committed = await admin.groups.committedOffsets(groupId, input.topic).catch(() => undefined)
  const now = await topics.ends(input.topic).catch(() => undefined)
  if (committed === undefined || now === undefined) return false
  return ends.every((end, partition) => {
    const position = committed[partition] ?? start[partition]?.latest ?? 0n
    // Only another client commits a position past the input's end.
    return position >= end && position <= (now[partition] ?? 0n)
  })
}

/**
 * Resolves when no derived stream has an open transaction, which would hide later records from readers of committed
 * records.
 */
export async function untilNoneIsOpen({ topics, streams }: CalmDeps): Promise<void> {
  const logs = streams.derived().flatMap(({ topic }) => [topic, `${topic}.dead`])
  const isNoneOpen = async (): Promise<boolean> => {
    const ends = (isolation: Isolation) =>
      Promise.all(logs.map((log) => topics.admin.offsets.ends(log, { isolation })))
    const [committed, all] = await Promise.all([ends('read_committed'), ends('read_uncommitted')])
    return committed.flat().join() === all.flat().join()
  }
  await pollUntil(isNoneOpen, { deadlineMs: 60_000, everyMs: 300, what: 'no open transaction' })
}

/** Resolves when no input topic has grown for `quietMs`, so that no event is still in flight. */
export async function untilQuiet({ topics, streams }: CalmDeps, quietMs: number): Promise<void> {
  let last = ''
  let sinceMs = performance.now()
  const isQuiet = async (): Promise<boolean> => {
    const ends = await Promise.all(streams.inputs.map(({ topic }) => topics.ends(topic)))
    const now = ends.flat().join()
    if (now !== last) sinceMs = performance.now()
    last = now
    return performance.now() - sinceMs >= quietMs
  }
  await pollUntil(isQuiet, { deadlineMs: 60_000, everyMs: 200, what: 'quiet input topics' })
}
