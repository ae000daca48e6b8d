// The record of the restores from backups.

export type Window = { readonly sinceMs: number; readonly untilMs: number }

/** The restores so far, and what is unknown since then. */
export type RestoreRecord = {
  readonly type: 'restore'
  readonly restoredAtMs: number
  /** Erasures that were accepted in these times may be undone. */
  readonly erasuresLost: readonly Window[]
  /** Links of data subjects that were stored in these times are lost. */
  readonly subjectsLost: readonly Window[]
}

export const restoreKey = 'restore/last'
