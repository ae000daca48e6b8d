// The record of the last restore from a backup, and of what all restores have lost.

export type Window = { readonly sinceMs: number; readonly untilMs: number }

export type RestoreRecord = {
  readonly type: 'restore'
  readonly restoredAtMs: number
  /** Erasures that were accepted in these times may be undone. */
  readonly erasuresLost: readonly Window[]
  /** Links of data subjects that were stored in these times are lost. */
  readonly subjectsLost: readonly Window[]
}

export const restoreKey = 'restore/last'
