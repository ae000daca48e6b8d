// `weir.erasures`: the erasures, and the removals of keys. A restore applies them again, because a backup still has the
// keys (docs/forgetting.md, Backups). Each record is encrypted with the key record's format. Pure.
import { checked, createForm, parserOf, storedAs } from '../forms/form.ts'
import { listOf, number, objectOf, oneOf, optional, text } from '../forms/guards.ts'
import { isErasure } from './control-forms.ts'
import type { ErasureRecord } from './records.ts'
import { subjectsRetentionMs } from './subjects.ts'

export const erasuresTopic = 'weir.erasures'

const dayMs = 86_400_000
/** An older backup can't be restored, because erasures of its time may be missing in the log. */
export const backupMaxAgeMs = 90 * dayMs

/** An entry is needed until every key that it removes is expired, in every backup that may be restored. */
export const erasuresRetentionMs = (keyRetentionDays: number): number =>
  subjectsRetentionMs(keyRetentionDays) + backupMaxAgeMs

/** The links under which fields may have been encrypted in a term, 8 bytes each, base64. */
export type LoggedCuts = { readonly term: number; readonly links: string }

export type LoggedErasure = {
  readonly type: 'logged-erasure'
  /** The record as it was before the first cut. */
  readonly record: ErasureRecord
  readonly cuts: readonly LoggedCuts[]
}

/** Keys that were removed: those of an era, or without `era` those of a deleted stream. */
export type LoggedRemoval = {
  readonly type: 'logged-removal'
  readonly streamId: string
  readonly era?: number
}

export type LoggedEntry = LoggedErasure | LoggedRemoval

/** An erasure with many links has several entries, counted from 0. */
export const loggedErasureKey = (
  { billingId, streamId, erasureId }: ErasureRecord,
  entry: number,
): string => `${billingId}/${streamId}/${erasureId}/${entry}`

export const loggedRemovalKey = (
  stream: { readonly billingId: string; readonly streamId: string },
  era: number | undefined,
): string => `${stream.billingId}/${stream.streamId}/${era === undefined ? 'stream' : `era/${era}`}`

const erasureForm = createForm(
  'logged-erasure',
  checked(
    objectOf<LoggedErasure>({
      type: oneOf('logged-erasure'),
      record: isErasure,
      cuts: listOf(objectOf<LoggedCuts>({ term: number, links: text })),
    }),
  ),
)
const removalForm = createForm(
  'logged-removal',
  checked(
    objectOf<LoggedRemoval>({
      type: oneOf('logged-removal'),
      streamId: text,
      era: optional(number),
    }),
  ),
)

/** The plaintext of an entry. */
export const loggedValue = (entry: LoggedEntry): Buffer =>
  entry.type === 'logged-erasure' ? storedAs(erasureForm, entry) : storedAs(removalForm, entry)
/** @throws ControlStateError `control-state.record_not_known`, `record_malformed` */
export const parseLogged = parserOf<LoggedEntry>(erasuresTopic, [erasureForm, removalForm])
