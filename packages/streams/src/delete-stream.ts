// Deleting a stream (docs/architecture.md 11). The record turns `deleting`, and with that the stream
// is gone for everyone: tokens, WebSockets, readers of the API. The clean-up does the rest later.
import { AppError } from '@weir/kit'
import type { Draft } from './draft.ts'
import type { StreamRecord } from './records.ts'
import { streamKey } from './records.ts'
import { requireInput, requireOutput } from './rules.ts'
import type { Stewardship } from './stewardship.ts'

/** Everything that was deleted: the outputs first, then the input stream itself. */
export async function deleteStream(
  deps: Stewardship,
  request: { billingId: string; name: string; recursive: boolean },
): Promise<StreamRecord[]> {
  const deleted = await deps.writer.change((draft) => {
    const stream = requireInput(draft, request.billingId, request.name)
    const outputs = draft.outputsOf(stream).filter(({ state }) => state !== 'deleting')
    if (outputs.length > 0 && !request.recursive) throw hasOutputs(stream.name, outputs)
    for (const each of [...outputs, stream]) putDeleting(draft, each, deps.now())
    // One that was still being made was never announced, so nobody knows that it is gone.
    return [...outputs.filter(({ state }) => state === 'ready'), stream]
  })
  deps.cleanUpSoon()
  return deleted
}

export async function deleteOutput(
  deps: Stewardship,
  request: { billingId: string; input: string; name: string },
): Promise<StreamRecord[]> {
  const stream = await deps.writer.change((draft) => {
    const output = requireOutput(draft, request.billingId, request)
    putDeleting(draft, output, deps.now())
    return output
  })
  deps.cleanUpSoon()
  return [stream]
}

/** From here on the stream is gone for everyone but the clean-up. */
export function putDeleting(draft: Draft, stream: StreamRecord, nowMs: number): void {
  const dead: StreamRecord = {
    ...stream,
    ...(stream.state === 'creating' ? { neverReady: true } : {}),
    state: 'deleting',
    stateSinceMs: nowMs,
  }
  draft.put(streamKey(dead.billingId, dead.name), dead)
}

function hasOutputs(name: string, outputs: readonly StreamRecord[]): AppError<'has_outputs'> {
  const names = outputs.map((output) => output.name).join(', ')
  return new AppError(
    'has_outputs',
    `The stream ${name} has derived streams: ${names}. Delete them first, or delete recursively`,
  )
}
