// Changes or removes the reference and the due date of an erasure. Neither has an effect on what is erased.
import { act, erasureKey, requireErasure, requireInput } from '@weir/control-state'
import type { ErasureRecord } from '@weir/control-state'
import type { Changes } from '../changes.ts'

export type ErasureChange = {
  readonly billingId: string
  readonly name: string
  readonly erasureId: string
  /** Null removes it. */
  readonly reference?: string | null | undefined
  /** A day such as 2026-12-24. Null removes it. */
  readonly dueOn?: string | null | undefined
}

/** @throws ControlStateError `control-state.not_found` */
export function changeErasure(
  deps: Changes,
  { billingId, name, erasureId, ...wanted }: ErasureChange,
): Promise<ErasureRecord> {
  const target = { account: billingId, stream: name, erasure: erasureId }
  return deps.writer.change(act(deps, 'erasure.change', target), (draft) => {
    const current = requireErasure(draft, requireInput(draft, billingId, name), erasureId)
    const { reference: oldReference, dueOn: oldDueOn, ...rest } = current
    const reference = changed(oldReference, wanted.reference)
    const dueOn = changed(oldDueOn, wanted.dueOn)
    if (reference === oldReference && dueOn === oldDueOn) return current
    const logged = (own: Pick<ErasureRecord, 'reference' | 'dueOn'>) => ({
      ...(reference === oldReference ? {} : { reference: referenceInLog(own.reference) }),
      ...(dueOn === oldDueOn ? {} : { dueOn: own.dueOn ?? 'none' }),
    })
    const after = {
      ...(reference === undefined ? {} : { reference }),
      ...(dueOn === undefined ? {} : { dueOn }),
    }
    draft.addToEntry({ before: logged(current), after: logged(after) })
    const record = { ...rest, ...after }
    draft.put(erasureKey(current.streamId, erasureId), record)
    return record
  })
}

const changed = (old: string | undefined, wanted: string | null | undefined): string | undefined =>
  wanted === undefined ? old : (wanted ?? undefined)

/** Does not log the reference itself, because the change may remove a name from it, and the audit log is permanent. */
const referenceInLog = (reference: string | undefined): string =>
  reference === undefined ? 'none' : 'not logged'
