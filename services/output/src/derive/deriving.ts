// Derives the partitions that this replica owns. Follows control state and the other replicas, starts a flow for each
// input partition (flow/partition-flow.ts), and notes positions. When this replica loses a partition, derivation ends
// after the pending records are stored, or after a timeout.
import type { LogOffsets } from '@weir/kafka'
import { derivedPartitionOf, isDerivable, rebuildOf } from './derived-partitions.ts'
import type { PartitionFlow } from './flow/partition-flow.ts'
import { newStream } from './flow/stream.ts'
import type { Stream } from './flow/stream.ts'
import { createInputs } from './inputs.ts'
import type { InputDeps, Inputs } from './inputs.ts'
import type { Owners } from './owners/owners.ts'
import type { Noted } from './noted-positions.ts'
import type { DerivedPartition, PartitionLogs } from './partition-logs.ts'
import { createProgress, lagsOf } from './progress.ts'
import type { Progress } from './progress.ts'
import { createServedStreams } from './served-streams.ts'
import type { Served, ServedDeps } from './served-streams.ts'
import { reportsOf } from './stream-reports.ts'
import type { ReportDeps } from './stream-reports.ts'

export type Deriving = {
  start(): void
  /** The number of events by which each derived topic is behind its input, in this replica's partitions. */
  lags(): Iterable<readonly [topic: string, lag: number]>
  /** The number of streams that this deployment may not derive because of their levels. */
  denied(): number
  /** Stores pending records first, if Kafka accepts them. Takes up to a few seconds. */
  close(): Promise<void>
}

export type DerivingDeps = InputDeps &
  ReportDeps &
  Pick<ServedDeps, 'decrypterNames' | 'levels' | 'follower'> & {
    readonly owners: Pick<Owners, 'isMine' | 'onChange' | 'catchUp'>
    readonly logs: PartitionLogs
    readonly offsets: Pick<LogOffsets, 'ends'>
  }

/** A partition of a derived stream that this replica owns, or has just lost. */
type Held = {
  readonly served: Served
  readonly flow: PartitionFlow
  readonly of: DerivedPartition
  stream: Stream | undefined
  isEnding: boolean
}

const CHECK_EVERY_MS = 250
const NOTE_EVERY_MS = 1_000
const NOTED_AGAIN_MS = 500
const LOOK_AT_ENDS_EVERY_MS = 5_000

export function createDeriving(deps: DerivingDeps): Deriving {
  const held = new Map<string, Held>()
  const inputs = createInputs(deps, {
    mayDerive: ({ of }) => mayDerive(deps, held.get(keyOf(of))),
    mayOwn: ({ of }) => mayOwn(deps, held.get(keyOf(of))),
  })
  const starting = createStarting({ deps, inputs })
  const progress = createProgress(deps.logs, deps.offsets)
  const parts: Parts = { deps, held, inputs, starting, progress, hasClosed: false }
  const served = createServedStreams({ ...deps, onChange: (id, now) => changed(parts, id, now) })
  const ends: (() => void)[] = []

  const settleAll = (): void => {
    for (const one of served.all()) settle(parts, one)
    inputs.wake()
  }

  return {
    start() {
      const timers = [
        setInterval(watchFreshness(deps, settleAll), CHECK_EVERY_MS),
        setInterval(() => void progress.note(held.values()), NOTE_EVERY_MS),
        setInterval(() => void progress.lookAtEnds(held.values()), LOOK_AT_ENDS_EVERY_MS),
      ]
      ends.push(
        served.follow(),
        deps.owners.onChange(settleAll),
        ...timers.map((timer) => () => clearInterval(timer)),
      )
    },
    lags: () => lagsOf(held.values()),
    denied: served.denied,
    async close() {
      for (const end of ends.splice(0)) end()
      parts.hasClosed = true
      await Promise.all([...held.values()].map((one) => end(parts, one)))
    },
  }
}

/**
 * Logs when control state becomes stale or fresh. While it is stale, an erasure or a withdrawal may be missing, so
 * nothing is decrypted.
 */
function watchFreshness({ follower, log }: DerivingDeps, onFresh: () => void): () => void {
  let wasFresh = true
  return () => {
    const isFresh = follower.isFresh()
    if (isFresh === wasFresh) return
    wasFresh = isFresh
    log.warn(isFresh ? 'deriving continues' : 'control state is stale: deriving waits')
    if (isFresh) onFresh()
  }
}

type Parts = {
  readonly deps: DerivingDeps
  readonly held: Map<string, Held>
  readonly inputs: Inputs
  readonly starting: (one: Held) => void
  readonly progress: Progress
  hasClosed: boolean
}

const keyOf = ({ streamId, partition }: Pick<DerivedPartition, 'streamId' | 'partition'>): string =>
  `${streamId}/${partition}`

// --- ownership ---

function changed(parts: Parts, streamId: string, served: Served | undefined): void {
  if (served !== undefined) return settle(parts, served)
  for (const one of parts.held.values()) if (one.of.streamId === streamId) void end(parts, one)
}

/** Starts the stream's partitions that this replica owns, and ends the stream's other partitions. */
function settle(parts: Parts, served: Served): void {
  const { stream, input } = served
  const { streamId } = input
  for (let partition = 0; partition < stream.partitions; partition++) {
    const one = parts.held.get(keyOf({ streamId: stream.streamId, partition }))
    const { isMine } = parts.deps.owners
    const isOurs = isDerivable(stream) && isMine({ streamId, partition }, stream.decrypterName)
    if (isOurs && one === undefined && !parts.hasClosed) hold(parts, served, partition)
    const isOther = one !== undefined && one.of.rebuild !== rebuildOf(stream)
    if (one !== undefined && (!isOurs || isOther)) void end(parts, one)
  }
}

function hold(parts: Parts, served: Served, partition: number): void {
  const of = derivedPartitionOf(served, partition)
  const flow = parts.inputs.join(served.input, partition)
  const one: Held = { served, of, flow, stream: undefined, isEnding: false }
  parts.held.set(keyOf(of), one)
  parts.starting(one)
}

async function end(parts: Parts, one: Held): Promise<void> {
  if (one.isEnding) return
  one.isEnding = true
  const { deps, held, inputs } = parts
  if (one.stream !== undefined) await one.flow.remove(one.stream)
  await parts.progress.noteLast(one)
  held.delete(keyOf(one.of))
  inputs.leave(one.served.input, one.of.partition)
  // Meanwhile, this replica may own the partition again.
  const now = deps.follower.tables.streamById(one.of.streamId)
  if (now?.kind === 'derived' && now.state === 'ready' && deps.follower.isFresh())
    settle(parts, { stream: now, input: one.served.input })
}

/** Collects partitions that start at the same time, and reads their noted positions together. */
function createStarting({ deps, inputs }: Pick<Parts, 'deps' | 'inputs'>): (one: Held) => void {
  let waiting: Held[] = []

  async function start(): Promise<void> {
    const all = waiting.filter(({ isEnding }) => !isEnding)
    waiting = []
    try {
      const noted = await deps.logs.noted(all.map(({ of }) => of))
      for (const one of all) if (!one.isEnding) begin({ deps, inputs }, one, noted.get(one.of))
    } catch (error) {
      deps.log.warn({ err: error }, 'positions cannot be read; trying again')
      setTimeout(() => all.forEach(add), NOTED_AGAIN_MS).unref()
    }
  }

  function add(one: Held): void {
    if (waiting.push(one) === 1) setImmediate(() => void start())
  }
  return add
}

function begin(
  { deps, inputs }: Pick<Parts, 'deps' | 'inputs'>,
  one: Held,
  noted: Noted | undefined,
): void {
  const { served, of, flow } = one
  const told = reportsOf(deps, served)(of.partition)
  one.stream = newStream(of, inputs.groupOf(served), { told, noted })
  flow.add(one.stream)
}

// --- permissions ---

function mayDerive({ follower, owners }: DerivingDeps, one: Held | undefined): boolean {
  if (one === undefined || one.isEnding || !follower.isFresh()) return false
  const { stream, input } = one.served
  const { partition } = one.of
  return owners.isMine({ streamId: input.streamId, partition }, stream.decrypterName)
}

/** Checks the current control state. Called right after the former owner was fenced. */
async function mayOwn(deps: DerivingDeps, one: Held | undefined): Promise<boolean> {
  await deps.follower.catchUp()
  if (one === undefined || !mayDerive(deps, one)) return false
  const now = deps.follower.tables.streamById(one.of.streamId)
  return now?.kind === 'derived' && isDerivable(now) && rebuildOf(now) === one.of.rebuild
}
