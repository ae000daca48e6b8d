// Stores in the input stream's record how long readers may still have keys of an output that was deleted or got a
// shorter `keyMaxAgeSeconds`. An erasure is applied only after that time (docs/keys.md Keys for readers).
import { streamKey } from '@weir/control-state'
import type { Draft, StreamRecord } from '@weir/control-state'

/** A replica may read the change this late, and give out keys until then. */
const lateMs = 15_000

/** Call in the transaction that changes the output from `before` to `changed`. */
export function noteLentKeys(
  draft: Draft,
  before: StreamRecord,
  { changed, nowMs }: { readonly changed: StreamRecord; readonly nowMs: number },
): void {
  if (before.kind !== 'derived' || before.state !== 'ready' || changed.kind !== 'derived') return
  const { keyMaxAgeSeconds: age = 0, billingId, linkedStream, linkedStreamId } = before
  const isShorter = changed.state === 'deleting' || (changed.keyMaxAgeSeconds ?? 0) < age
  const input = draft.stream(billingId, linkedStream)
  if (age === 0 || !isShorter || input?.kind !== 'input' || input.streamId !== linkedStreamId)
    return
  const untilMs = Math.max(input.keysLentUntilMs ?? 0, nowMs + lateMs + age * 1_000)
  draft.put(streamKey(billingId, linkedStream), { ...input, keysLentUntilMs: untilMs })
}
