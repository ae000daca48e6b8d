// `…/dead`, `…/dead/retry` and `…/lag`. Lists the dead-lettered records of a derived stream, derives them again, and
// shows the lag (docs/wire-format.md, Dead-lettered records, lag and preview). Shows no values of events.
import type { LogOffsets } from '@weir/kafka'
import type { AccessTrace, DerivedStream, InputStream } from '@weir/control-state'
import { deadLetterTopicOf, isRebuilding, topicOf, transactionalIdOf } from '@weir/control-state'
import { targetOf } from '../access/audit-target.ts'
import { deriveOf } from '../derive/derivation.ts'
import type { DerivationDeps } from '../derive/derivation.ts'
import { derivedPartitionsOf, isDerivable, rebuildOf } from '../derive/derived-partitions.ts'
import type { PartitionLogs } from '../derive/partition-logs.ts'
import { count, listOf, lookUpOutput, time, string } from '@weir/http-api'
import type { AccountCall, RouteAnswer } from '@weir/http-api'
import { refusal } from '../errors.ts'
import type { LevelsAllowed } from '../derive/levels.ts'
import { requireLevels, requireServed } from '../access/require-levels.ts'
import type { OutputMetrics } from '../metrics.ts'
import { createTryAll } from '../derive/transform.ts'
import type { ConcurrencyLimiter } from '../access/concurrency-limiter.ts'
import type { DeadLetterTopics } from './dead-letter-topics.ts'
import type { DeadEntry } from './dead-scan.ts'
import type { RetryOptions, RetryOutcome } from './retry-partition.ts'
import { z } from 'zod'

export type DeadDeps = DerivationDeps & {
  readonly limited: ConcurrencyLimiter
  readonly dead: DeadLetterTopics
  readonly logs: Pick<PartitionLogs, 'noted'>
  readonly offsets: Pick<LogOffsets, 'ends'>
  readonly decrypterNames: readonly string[]
  readonly kafkaPrefix: string
  readonly levels: LevelsAllowed
  readonly metrics: Pick<OutputMetrics, 'retried'>
  readonly trace: Pick<AccessTrace, 'read'>
  /** If this returns true, long work ends early. */
  isStopping(): boolean
}

const shownMax = 1_000
const readMsMax = 20_000
const countMsMax = 5_000

const until = (ms: number, { isStopping }: DeadDeps): (() => boolean) => {
  const end = performance.now() + ms
  return () => performance.now() < end && !isStopping()
}

const deadRecord = z.strictObject({
  source: string,
  error: string,
  schemaId: string.nullable(),
  at: time.nullable(),
  partition: count,
  offset: count,
})
export const deadAnswer = z.strictObject({ dead: listOf(deadRecord), total: count, limit: count })

export const listDead =
  (deps: DeadDeps) =>
  async (call: AccountCall): Promise<RouteAnswer<z.infer<typeof deadAnswer>>> => {
    const { limited, dead } = deps
    const { stream, input } = await lookUpOutput(deps.follower, call)
    const { actor } = call.caller
    return limited(stream.billingId, async () => {
      await deps.trace.read({ action: 'read.dead', actor, target: targetOf(stream) })
      const what = { ...topicsOf(stream, input), max: shownMax, mayGoOn: until(readMsMax, deps) }
      const listed = await dead.list(what)
      if (listed === undefined)
        throw refusal('unavailable', 'reading a dead letter topic took too long')
      const { entries, total } = listed
      const newest = entries.sort(newestFirst).slice(0, shownMax)
      const inputTopic = deps.kafkaPrefix + topicOf(input)
      const shown = newest.map((entry) => shownEntry(entry, inputTopic))
      return { status: 200, body: { dead: shown, total, limit: shownMax } }
    })
  }

const topicsOf = (stream: DerivedStream, input: InputStream) => ({
  deadLetterTopic: deadLetterTopicOf(stream),
  inputTopic: topicOf(input),
})

const newestFirst = (a: DeadEntry, b: DeadEntry): number =>
  b.timestampMs - a.timestampMs || b.partition - a.partition || Number(b.offset - a.offset)

function shownEntry(entry: DeadEntry, inputTopic: string): z.infer<typeof deadRecord> {
  const { source, code, schemaId, partition, offset } = entry
  return {
    source: `${inputTopic}/${partition}/${source}`,
    error: code,
    schemaId: schemaId === '' ? null : schemaId,
    at: timeOf(entry.timestampMs),
    partition,
    offset: Number(offset),
  }
}

/** Returns null for a time that `Date` can't represent. */
function timeOf(ms: number): string | null {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

const outcomes = { passed: count, filtered: count, failedAgain: count }
export const retriedAnswer = z.strictObject({ retried: count, ...outcomes, more: z.boolean() })

export const retryDead =
  (deps: DeadDeps) =>
  async (call: AccountCall): Promise<RouteAnswer<z.infer<typeof retriedAnswer>>> => {
    const { stream, input } = await lookUpOutput(deps.follower, call)
    requireServed(stream, deps.decrypterNames)
    requireLevels(stream, deps.levels)
    if (!stream.enabled)
      throw refusal('stream_disabled', `The stream ${stream.name} is disabled; enable it first`)
    const { actor } = call.caller
    return deps.limited(stream.billingId, async () => {
      await deps.trace.read({ action: 'dead.retry', actor, target: targetOf(stream) })
      const body = await retry(deps, stream, input)
      return { status: 200, body }
    })
  }

async function retry(deps: DeadDeps, stream: DerivedStream, input: InputStream) {
  const counts: Record<RetryOutcome, number> = { passed: 0, filtered: 0, failedAgain: 0 }
  const options = retryOptionsOf(deps, stream, input)
  await deps.dead.retry(options, (outcome) => {
    counts[outcome] += 1
    deps.metrics.retried(outcome)
  })
  const { passed, filtered, failedAgain } = counts
  return { retried: passed + filtered + failedAgain, ...counts, more: !options.mayGoOn() }
}

function retryOptionsOf(deps: DeadDeps, stream: DerivedStream, input: InputStream): RetryOptions {
  const { follower } = deps
  const mayDerive = (): boolean => {
    const now = follower.tables.streamById(stream.streamId)
    return follower.isFresh() && now?.kind === 'derived' && isDerivable(now)
  }
  return {
    ...topicsOf(stream, input),
    outputTopic: topicOf(stream),
    transactionalIdOf: (partition) => transactionalIdOf(stream, partition),
    mayTake: async () => {
      await follower.catchUp()
      return mayDerive()
    },
    transform: createTryAll(deriveOf(deps, stream, input), follower),
    onBegin: deps.openings.begin,
    mayCommit: mayDerive,
    mayGoOn: until(readMsMax, deps),
  }
}

export const lagAnswer = z.strictObject({
  lag: count,
  dead: count.nullable(),
  partitions: listOf(z.strictObject({ partition: count, next: count, end: count, lag: count })),
  rebuild: count.optional(),
})

export const showLag =
  (deps: DeadDeps) =>
  async (call: AccountCall): Promise<RouteAnswer<z.infer<typeof lagAnswer>>> => {
    const { limited, dead, logs, offsets } = deps
    const { stream, input } = await lookUpOutput(deps.follower, call)
    return limited(stream.billingId, async () => {
      const topic = topicOf(input)
      const derived = derivedPartitionsOf({ stream, input })
      const noted = await logs.noted(derived)
      const ends = await offsets.ends(topic, { isolation: 'read_committed' })
      const partitions = derived.map((of) => {
        const { partition } = of
        const [next, end = 0n] = [noted.get(of)?.next ?? of.startOffset, ends[partition]]
        return { partition, next: Number(next), end: Number(end), lag: atLeast0(end - next) }
      })
      const lag = partitions.reduce((sum, one) => sum + one.lag, 0)
      const what = { ...topicsOf(stream, input), max: 0, mayGoOn: until(countMsMax, deps) }
      // Null if counting ended early.
      const total = (await dead.list(what))?.total ?? null
      const rebuild = isRebuilding(stream) ? {} : { rebuild: rebuildOf(stream) }
      return { status: 200, body: { lag, dead: total, partitions, ...rebuild } }
    })
  }

const atLeast0 = (offsets: bigint): number => Math.max(0, Number(offsets))
