// The steps that rebuild an output from the events that its input still has (docs/forgetting.md, Rebuilding):
//
//   ask    marks the record for a rebuild. From then on no replica of output acquires a partition, because a replica
//          reads control state to its end first.
//   take   fences the former writers of the logs. Later writers have read the changed record.
//   cut    deletes the records of the logs, unless another replica of auth has finished the rebuild meanwhile.
//   done   stores where the logs start, and where in the input deriving starts. Replicas of output derive again.
//
// If a replica fails between two steps, the record is still marked. Any replica then continues with the second step.
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

/** Longer than a writer that Kafka has forgotten still writes (`takeOver`). */
const againMs = 15_000

/**
 * Requests a rebuild, unless one is in progress. Returns the output.
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

/** Returns undefined if another replica has finished the rebuild, or if the output or its input was deleted. */
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
