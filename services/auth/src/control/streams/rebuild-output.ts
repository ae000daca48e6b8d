// Rebuilding an output from the events that its input still has (docs/forgetting.md, Rebuilding). The steps:
//
//   ask    the record says that the output is to be rebuilt. From then on no replica of output derives it, because a
//          replica reads control state to its end before it acquires a partition.
//   take   fences the former writers of its logs. Only a replica that knows the record can write later records.
//   cut    deletes the content of the logs. If another replica of auth has finished meanwhile, the content is new, and
//          nothing is deleted.
//   done   the record says where the logs start, and where in the input. Replicas of output derive it again.
//
// If a replica fails between two steps, the record still says that the output is to be rebuilt. Any replica then starts
// again with the second step.
import {
  act,
  isRebuilding,
  partOf,
  requireInput,
  requireOutput,
  streamKey,
} from '@weir/control-state'
import type { DerivedStream, Draft, InputStream, StateFollower } from '@weir/control-state'
import type { Log } from '@weir/kit'
import { refusal } from '../../errors.ts'
import type { Changes } from '../changes.ts'
import type { StreamName } from './change-stream.ts'
import type { DerivedLogs } from './derived-logs.ts'
import type { StreamTopics } from './stream-topics.ts'

export type AskingRebuild = Changes & {
  readonly topics: Pick<StreamTopics, 'startOffsets'>
  /** Triggers the next pass. */
  readonly rebuildSoon: () => void
}

export type Rebuilding = Changes & {
  readonly follower: Pick<StateFollower, 'tables'>
  readonly topics: Pick<StreamTopics, 'startOffsets'>
  readonly derivedLogs: DerivedLogs
  readonly log: Log
}

/** Longer than a replica of output still writes after Kafka has forgotten its transactional id. */
const againMs = 15_000

/**
 * If a rebuild is in progress, returns that rebuild.
 * @throws Refusal `would_lose_events`
 */
export async function askRebuild(
  deps: AskingRebuild,
  target: StreamName & { input: string },
  { acceptLoss }: { acceptLoss: boolean },
): Promise<DerivedStream> {
  const { billingId, input, name } = target
  const { output, from } = await deps.writer.change('read', (draft) => both(draft, target))
  if (!acceptLoss && (await lacksEvents(deps, output, from)))
    throw refusal(
      'would_lose_events',
      `The input stream ${input} no longer has all of the events that ${name} was derived from. Send acceptLoss: true to derive ${name} from those that are left`,
    )
  const what = act(deps, 'output.rebuild', { account: billingId, stream: input, output: name })
  const asked = await deps.writer.change(what, (draft) => {
    const current = requireOutput(draft, billingId, { input, name })
    if (isRebuilding(current)) return current
    const number = (current.rebuild?.number ?? 0) + 1
    const asked: DerivedStream = { ...current, rebuild: { number, askedAtMs: deps.now() } }
    draft.put(streamKey(billingId, name), asked)
    return asked
  })
  deps.rebuildSoon()
  return asked
}

function both(draft: Draft, { billingId, input, name }: StreamName & { input: string }) {
  const output = requireOutput(draft, billingId, { input, name })
  return { output, from: requireInput(draft, billingId, input) }
}

async function lacksEvents(
  { topics }: Pick<AskingRebuild, 'topics'>,
  { startOffsets = [] }: DerivedStream,
  input: InputStream,
): Promise<boolean> {
  const first = await topics.startOffsets(input, 'earliest')
  return startOffsets.some((start, partition) => BigInt(first[partition] ?? 0) > BigInt(start))
}

/** Runs all requested rebuilds. Returns in how many ms to check again; undefined if no work is left. */
export async function rebuildOutputs(deps: Rebuilding): Promise<number | undefined> {
  const asked = [...deps.follower.tables.streams()].filter(isToBeRebuilt)
  const done = await Promise.all(
    asked.map((output) =>
      rebuild(deps, output).catch((error: unknown) => {
        deps.log.warn({ err: error, output: output.name }, 'a rebuild did not finish; trying again')
        return false
      }),
    ),
  )
  return done.every(Boolean) ? undefined : againMs
}

const isToBeRebuilt = (stream: { kind: string; state: string }): stream is DerivedStream =>
  stream.kind === 'derived' && stream.state === 'ready' && isRebuilding(stream as DerivedStream)

/** Returns false if the rebuild must be retried later. */
async function rebuild(deps: Rebuilding, output: DerivedStream): Promise<boolean> {
  const starts = await deps.derivedLogs.takeOver(output)
  if (starts === undefined) return false
  const input = await deps.writer.change('read', (draft) => stillAsked(draft, output)?.input)
  if (input === undefined) return true
  await deps.derivedLogs.cut(output, starts)
  const first = await deps.topics.startOffsets(input, 'earliest')
  await deps.writer.change(partOf('output.rebuild'), (draft) => {
    const current = stillAsked(draft, output)?.output
    if (current?.rebuild === undefined) return
    const { startOffsets = first } = current
    draft.put(streamKey(current.billingId, current.name), {
      ...current,
      startOffsets: startOffsets.map((start, partition) => later(start, first[partition])),
      rebuild: { ...current.rebuild, cut: { ...starts, atMs: deps.now() } },
    })
  })
  return true
}

const later = (one: string, other = one): string => (BigInt(other) > BigInt(one) ? other : one)

/**
 * Undefined if another replica has finished the rebuild, so that the logs may contain new records, or if the output was
 * deleted.
 */
function stillAsked(draft: Draft, asked: DerivedStream) {
  const { billingId, name, linkedStream } = asked
  const output = draft.stream(billingId, name)
  const input = draft.stream(billingId, linkedStream)
  if (output?.kind !== 'derived' || input?.kind !== 'input') return undefined
  const isSame =
    output.streamId === asked.streamId &&
    output.state === 'ready' &&
    output.rebuild?.number === asked.rebuild?.number
  return isSame && isRebuilding(output) ? { output, input } : undefined
}
