// `…/dead`, `…/dead/retry` and `…/lag`: what of a derived stream could not be derived, deriving it anew, and how
// far it is behind (docs/wire-format.md, Dead records). No values are shown; how a retry is exactly once is
// packages/kafka's affair.
import type { DeadEntry, DeadLetterTopics, Groups, Offsets, RetryOutcome } from '@weir/kafka'
import { hasCode } from '@weir/kit'
import type { AccessTrace, DerivedStream, InputStream } from '@weir/control-state'
import { deadLetterTopicOf, groupOf, topicOf } from '@weir/control-state'
import { targetOf } from '../access/audit-target.ts'
import { derivationOf } from '../derive/derivation.ts'
import type { DerivationDeps } from '../derive/derivation.ts'
import { lookUpOutput } from '@weir/http-api'
import type { AccountHandler } from '@weir/http-api'
import { refusal } from '../errors.ts'
import type { LevelsAllowed } from '../derive/levels.ts'
import { requireLevels } from '../access/require-levels.ts'
import type { OutputMetrics } from '../metrics.ts'
import { createTryAll } from '../derive/transform.ts'
import type { ConcurrencyLimiter } from '../access/concurrency-limiter.ts'

export type DeadDeps = DerivationDeps & {
  readonly limited: ConcurrencyLimiter
  readonly dead: DeadLetterTopics
  readonly groups: Pick<Groups, 'committedOffsets'>
  readonly offsets: Pick<Offsets, 'ends'>
  readonly decrypterNames: readonly string[]
  /** Those that this deployment may open. */
  readonly levels: LevelsAllowed
  readonly metrics: Pick<OutputMetrics, 'retried'>
  readonly trace: Pick<AccessTrace, 'read'>
  /** Then what takes long ends with what it has. */
  isStopping(): boolean
}

const shownMax = 1_000
const readMsMax = 20_000
const countMsMax = 5_000

const until = (ms: number, { isStopping }: DeadDeps): (() => boolean) => {
  const end = performance.now() + ms
  return () => performance.now() < end && !isStopping()
}

export const listDead =
  (deps: DeadDeps): AccountHandler =>
  async (call) => {
    const { limited, dead } = deps
    const { stream, input } = await lookUpOutput(deps.follower, call)
    const { actor } = call.caller
    return limited(stream.billingId, async () => {
      await deps.trace.read({ action: 'read.dead', actor, target: targetOf(stream) })
      const what = { ...topicsOf(stream, input), max: shownMax, mayGoOn: until(readMsMax, deps) }
      const { entries, total } = await dead.list(what)
      const newest = entries.sort(newestFirst).slice(0, shownMax)
      const shown = newest.map((entry) => shownEntry(entry, input))
      return { status: 200, body: { dead: shown, total, limit: shownMax } }
    })
  }

const topicsOf = (stream: DerivedStream, input: InputStream) => ({
  deadLetterTopic: deadLetterTopicOf(stream),
  inputTopic: topicOf(input),
})

const newestFirst = (a: DeadEntry, b: DeadEntry): number =>
  b.timestampMs - a.timestampMs || b.partition - a.partition || Number(b.offset - a.offset)

function shownEntry(entry: DeadEntry, input: InputStream) {
  const { source, code, schemaId, partition, offset } = entry
  return {
    source: `${topicOf(input)}/${partition}/${source}`,
    error: code,
    schemaId: schemaId === '' ? null : schemaId,
    at: timeOf(entry.timestampMs),
    partition,
    offset: Number(offset),
  }
}

/** Null for what no calendar has. */
function timeOf(ms: number): string | null {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

export const retryDead =
  (deps: DeadDeps): AccountHandler =>
  async (call) => {
    const { stream, input } = await lookUpOutput(deps.follower, call)
    if (!deps.decrypterNames.includes(stream.decrypterName))
      throw refusal('derived_elsewhere', `Ask the output of ${stream.decrypterName}`)
    requireLevels(stream, deps.levels)
    if (!stream.enabled)
      throw refusal('stream_disabled', `The stream ${stream.name} is disabled; enable it first`)
    return deps.limited(stream.billingId, async () => {
      const body = await retry(deps, stream, input)
      return { status: 200, body }
    })
  }

async function retry(deps: DeadDeps, stream: DerivedStream, input: InputStream) {
  const { derive, ...derivation } = derivationOf(deps, stream, input)
  const counts: Record<RetryOutcome, number> = { passed: 0, filtered: 0, failedAgain: 0 }
  const mayGoOn = until(readMsMax, deps)

  await deps.dead.retry(
    { ...derivation, transform: createTryAll(derive, deps.follower), mayGoOn },
    (outcome) => {
      counts[outcome] += 1
      deps.metrics.retried(outcome)
    },
  )
  const { passed, filtered, failedAgain } = counts
  return { retried: passed + filtered + failedAgain, ...counts, more: !mayGoOn() }
}

export const showLag =
  (deps: DeadDeps): AccountHandler =>
  async (call) => {
    const { limited, dead, groups, offsets } = deps
    const { stream, input } = await lookUpOutput(deps.follower, call)
    return limited(stream.billingId, async () => {
      const topic = topicOf(input)
      const committed = await groups.committedOffsets(groupOf(stream), topic)
      const ends = await offsets.ends(topic, { isolation: 'read_committed' })
      const partitions = ends.map((end, partition) => {
        const next = committed[partition] ?? BigInt(stream.startOffsets?.[partition] ?? 0)
        return { partition, next: Number(next), end: Number(end), lag: atLeast0(end - next) }
      })
      const lag = partitions.reduce((sum, one) => sum + one.lag, 0)
      const what = { ...topicsOf(stream, input), max: 0, mayGoOn: until(countMsMax, deps) }
      return { status: 200, body: { lag, dead: await countDead(dead, what), partitions } }
    })
  }

const atLeast0 = (offsets: bigint): number => Math.max(0, Number(offsets))

/** Null when there are too many to be counted while somebody waits. */
async function countDead(
  dead: DeadLetterTopics,
  what: Parameters<DeadLetterTopics['list']>[0],
): Promise<number | null> {
  try {
    return (await dead.list(what)).total
  } catch (error) {
    if (hasCode(error, 'kafka.timeout')) return null
    throw error
  }
}
