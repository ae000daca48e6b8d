// Changes or removes the due date of an erasure. The date is only shown: the erased data and the receipt don't change.
import { act, erasureKey, requireErasure, requireInput } from '@weir/control-state'
import type { ErasureRecord } from '@weir/control-state'
import type { Changes } from '../changes.ts'

export type ErasureChange = {
  readonly billingId: string
  readonly name: string
  readonly erasureId: string
  /** A day such as 2026-12-24, or null for none. */
  readonly dueOn: string | null
}

/** @throws Refusal `not_found` */
export function changeErasure(
  deps: Changes,
  { billingId, name, erasureId, dueOn }: ErasureChange,
): Promise<ErasureRecord> {
  const target = { account: billingId, stream: name, erasure: erasureId }
  return deps.writer.change(act(deps, 'erasure.change', target), (draft) => {
    const current = requireErasure(draft, requireInput(draft, billingId, name), erasureId)
    const { dueOn: before = null, ...rest } = current
    if (before === dueOn) return current
    draft.addToEntry({
      before: { dueOn: before ?? 'none' },
      after: { dueOn: dueOn ?? 'none' },
    })
    const changed = { ...rest, ...(dueOn === null ? {} : { dueOn }) }
    draft.put(erasureKey(current.streamId, erasureId), changed)
    return changed
  })
}
