// `POST …/outputs/preview`: shows what a derived stream with these levels would contain, from the input's newest
// events, without creating it. Records are derived by the same function as in a deriver. Reading is limited in events
// and time, and keeps at most one fetch in memory.
import { setImmediate } from 'node:timers/promises'
import type { LogOffsets, RangeReader, SourceRecord } from '@weir/kafka'
import { bodyRule, checkBody, lookUpInput, readJson } from '@weir/http-api'
import type { AccountCall, RouteAnswer } from '@weir/http-api'
import type { AccessTrace, InputStream, Role } from '@weir/control-state'
import {
  consentLevels,
  consentLevelType,
  hasOneLevelIfCumulative,
  hasRole,
  oneLevelRule,
  topicOf,
} from '@weir/control-state'
import { z } from 'zod'
import { targetOf } from '../access/audit-target.ts'
import { deriveOf } from '../derive/derivation.ts'
import type { DerivationDeps } from '../derive/derivation.ts'
import { levelsOf } from '../derive/levels.ts'
import type { LevelsAllowed } from '../derive/levels.ts'
import { requireLevels } from '../access/require-levels.ts'
import { createSummary } from './preview-summary.ts'
import type { PreviewAnswer } from './preview-summary.ts'
import { createTryAll } from '../derive/transform.ts'
import type { ConcurrencyLimiter } from '../access/concurrency-limiter.ts'

export type PreviewDeps = DerivationDeps & {
  readonly limited: ConcurrencyLimiter
  readonly levels: LevelsAllowed
  readonly offsets: Pick<LogOffsets, 'earliest' | 'ends'>
  readonly reader: RangeReader
  readonly trace: Pick<AccessTrace, 'read'>
  /** If this returns true, the response contains the results so far. */
  isStopping(): boolean
}

const bodyBytesMax = 65_536
const lastRule = 'must be a whole number from 1 to 10000'
const readMsMax = 20_000
const samplesMax = 5
/** Samples need this role, because they are decrypted events of people. */
const samplesNeed = 'owner' satisfies Role
/** After this number of records, other work gets its turn of the event loop. */
const recordsAtOnce = 250

export const previewBody = z
  .strictObject(
    {
      consentLevels,
      consentLevelType: consentLevelType.default('CUMULATIVE'),
      last: z.int(lastRule).min(1, lastRule).max(10_000, lastRule).default(1_000),
    },
    bodyRule,
  )
  .refine(hasOneLevelIfCumulative, oneLevelRule)
type PreviewRequest = z.infer<typeof previewBody>

export const preview =
  (deps: PreviewDeps) =>
  async (call: AccountCall): Promise<RouteAnswer<PreviewAnswer>> => {
    const input = await lookUpInput(deps.follower, call)
    const request = checkBody(previewBody, await readJson(call, bodyBytesMax))
    requireLevels(request, deps.levels)
    const { apiKey, actor } = call.caller
    const hasSamples = hasRole(apiKey.role, samplesNeed)
    return deps.limited(input.billingId, async () => {
      const target = { ...targetOf(input), levels: request.consentLevels }
      if (hasSamples) await deps.trace.read({ action: 'read.preview', actor, target })
      const body = await previewOf(deps, input, { ...request, hasSamples })
      return { status: 200, body: { ...body, ...(hasSamples ? {} : { samplesNeed }) } }
    })
  }

async function previewOf(
  deps: PreviewDeps,
  input: InputStream,
  request: PreviewRequest & { readonly hasSamples: boolean },
): Promise<PreviewAnswer> {
  const topic = topicOf(input)
  const from = await deps.offsets.earliest(topic)
  const to = await deps.offsets.ends(topic, { isolation: 'read_committed' })
  const transform = createTryAll(deriveOf(deps, request, input), deps.follower)
  const summary = createSummary({
    contractNamed: (id) => deps.contract(input.billingId, id),
    levels: levelsOf(request),
    samplesMax: request.hasSamples ? samplesMax : 0,
  })
  const end = performance.now() + readMsMax
  for (const range of lastRanges(from, to, request.last))
    await deps.reader.read({ topic, ...range }, async (records) => {
      for (const piece of piecesOf(records)) {
        for (const derived of await transform(piece)) summary.add(derived)
        await setImmediate()
      }
      return performance.now() < end && !deps.isStopping()
    })
  return summary.result()
}

function* piecesOf(records: readonly SourceRecord[]): Generator<readonly SourceRecord[]> {
  for (let from = 0; from < records.length; from += recordsAtOnce)
    yield records.slice(from, from + recordsAtOnce)
}

type PartitionRange = { readonly partition: number; readonly from: bigint; readonly to: bigint }

/**
 * Returns the ranges of the newest `last` records: the same number from each partition, unless a partition contains
 * fewer.
 */
export function lastRanges(
  from: readonly bigint[],
  to: readonly bigint[],
  last: number,
): PartitionRange[] {
  const all = to.map((end, partition) => {
    const held = Math.max(0, Number(end - (from[partition] ?? 0n)))
    return { partition, end, held }
  })
  let left = last
  const ranges = all
    .toSorted((a, b) => a.held - b.held)
    .map(({ partition, end, held }, index) => {
      const take = Math.min(held, Math.floor(left / (all.length - index)))
      left -= take
      return { partition, from: end - BigInt(take), to: end }
    })
  return ranges.toSorted((a, b) => a.partition - b.partition)
}
