// The records of `weir.erasures`: all erasures and removals of keys. A restore applies them again, because the backup
// still contains the removed keys (docs/forgetting.md, Backups). The records are encrypted like key records. No I/O.
import { checked, createForm, parserOf, storedAs } from '../forms/form.ts'
import { listOf, number, objectOf, oneOf, optional, text } from '../forms/guards.ts'
import { isErasure } from './control-forms.ts'
import type { ErasureRecord } from './records.ts'
import { subjectsRetentionMs } from './subjects.ts'

export const erasuresTopic = 'weir.erasures'

const dayMs = 86_400_000
/** An older backup can't be restored, because the log may lack erasures since the backup. */
export const backupMaxAgeMs = 90 * dayMs

/**
 * Returns how long an entry is kept: until the keys that it removes have expired in every backup that can be restored.
 */
export const erasuresRetentionMs = (keyRetentionDays: number): number =>
  subjectsRetentionMs(keyRetentionDays) + backupMaxAgeMs

/** The links of the erased people in a term, 8 bytes each, concatenated, base64. */
export type LoggedCuts = { readonly term: number; readonly links: string }

export type LoggedErasure = {
  readonly type: 'logged-erasure'
  /** The erasure's record before its first link was removed. */
  readonly record: ErasureRecord
  readonly cuts: readonly LoggedCuts[]
}

/** The removal of the keys of one era or, without `era`, of a deleted stream. */
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

/** Returns the entry as JSON, which the caller encrypts. */
export const loggedValue = (entry: LoggedEntry): Buffer =>
  entry.type === 'logged-erasure' ? storedAs(erasureForm, entry) : storedAs(removalForm, entry)
/** @throws ControlStateError `control-state.record_not_known`, `record_malformed` */
export const parseLogged = parserOf<LoggedEntry>(erasuresTopic, [erasureForm, removalForm])
