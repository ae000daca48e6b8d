// Deleting a stream (docs/architecture.md 11). The record becomes `deleting`. From then on the stream does not exist
// for tokens, WebSockets and readers of the API. The clean-up does the rest later.
import { act, requireInput, requireOutput, streamKey } from '@weir/control-state'
import { refusal } from '../../errors.ts'
import type { Refusal } from '@weir/http-api'
import type { Audited, DerivedStream, Draft, StreamRecord } from '@weir/control-state'
import { clientIdsOf, revokingAccess } from '../acls/read-access.ts'
import type { Revoking } from '../acls/read-access.ts'
import type { Changes } from '../changes.ts'

export type Deleting = Changes &
  Revoking & {
    /** Triggers the next pass of the clean-up. */
    readonly cleanUpSoon: () => void
  }

/** Returns all deleted streams: the outputs first, then the input stream. */
export async function deleteStream(
  deps: Deleting,
  request: { billingId: string; name: string; recursive: boolean },
): Promise<StreamRecord[]> {
  const target = { account: request.billingId, stream: request.name }
  const what = act(deps, 'stream.delete', target)
  const deleted = await putAllDeleting(deps, what, (draft) => {
    const stream = requireInput(draft, request.billingId, request.name)
    const outputs = draft.outputsOf(stream).filter(({ state }) => state !== 'deleting')
    if (outputs.length > 0 && !request.recursive) throw hasOutputs(stream.name, outputs)
    if (outputs.length > 0) draft.addToEntry({ outputs: outputs.map(({ name }) => name) })
    return [...outputs, stream]
  })
  // A stream that was still being created was never announced, so it is not reported.
  return deleted.filter(({ state }) => state === 'ready')
}

export function deleteOutput(
  deps: Deleting,
  request: { billingId: string; input: string; name: string },
): Promise<DerivedStream[]> {
  const { billingId, input, name } = request
  const what = act(deps, 'output.delete', { account: billingId, stream: input, output: name })
  return putAllDeleting(deps, what, (draft) => [requireOutput(draft, billingId, request)])
}

/** Returns the streams in their state before the change. */
async function putAllDeleting<Stream extends StreamRecord>(
  deps: Deleting,
  what: Audited,
  choose: (draft: Draft) => Stream[],
): Promise<Stream[]> {
  const doomed = await deps.writer.change('read', choose)
  const deleted = await revokingAccess(deps, clientIdsOf(doomed), () =>
    deps.writer.change(what, (draft) => {
      const streams = choose(draft)
      for (const stream of streams) putDeleting(draft, stream, deps.now())
      return streams
    }),
  )
  deps.cleanUpSoon()
  return deleted
}

/** From here on the stream exists only for the clean-up. */
export function putDeleting(draft: Draft, stream: StreamRecord, nowMs: number): void {
  const deleted: StreamRecord = {
    ...stream,
    ...(stream.state === 'creating' ? { neverReady: true } : {}),
    state: 'deleting',
    stateSinceMs: nowMs,
  }
  draft.put(streamKey(deleted.billingId, deleted.name), deleted)
}

function hasOutputs(name: string, outputs: readonly StreamRecord[]): Refusal {
  const names = outputs.map((output) => output.name).join(', ')
  return refusal(
    'has_outputs',
    `The stream ${name} has derived streams: ${names}. Delete them first, or delete recursively`,
  )
}
