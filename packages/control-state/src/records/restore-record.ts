// The record about restores from backups.

export type Window = { readonly sinceMs: number; readonly untilMs: number }

/** The last restore, and what all restores have lost. */
export type RestoreRecord = {
  readonly type: 'restore'
  readonly restoredAtMs: number
  /** Erasures that were accepted in these times may be undone. */
  readonly erasuresLost: readonly Window[]
  /** Links of data subjects that were stored in these times are lost. */
  readonly subjectsLost: readonly Window[]
}

export const restoreKey = 'restore/last'
