// When an output that its readers decrypt is deleted or gets a shorter `keyMaxAgeSeconds`, stores in the input stream's
// record how long these readers may still have keys. An erasure counts as applied only after that time (docs/keys.md
// Keys for readers).
import { streamKey } from '@weir/control-state'
import type { Draft, StreamRecord } from '@weir/control-state'

/** A replica may hear of the change this late, and give out keys until then. */
const lateMs = 15_000

/** Call in the change's transaction. `before` and `changed` are the output before and after it. */
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
