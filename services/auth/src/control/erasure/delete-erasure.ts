// Removes the records of an erasure.
import { erasureKey, erasurePrefix } from '@weir/control-state'
import type { Draft, ErasureRecord } from '@weir/control-state'

/** Removes an erasure's record and its records in `weir.keys`. */
export function deleteErasure(draft: Draft, { streamId, erasureId }: ErasureRecord): void {
  draft.put(erasureKey(streamId, erasureId), null)
  deleteErasureKeys(draft, erasureId)
}

/** Removes the markers of an erasure and its remaining records of links. */
export function deleteErasureKeys(draft: Draft, erasureId: string): void {
  for (const key of draft.keys.under(erasurePrefix(erasureId))) draft.keys.put(key, null)
}
