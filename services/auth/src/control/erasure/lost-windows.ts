// What restores may have lost of a stream: erasures that may be undone, and links of data subjects. Officers see this
// with the stream, with erasures and in receipts.
import type { ErasureRecord, InputStream, Restores, Window } from '@weir/control-state'

export type ShownWindow = { readonly since: string; readonly until: string }

/** Returns the periods whose erasures of the stream may be undone; undefined if there are none. */
export const erasuresLostOf = (
  state: Restores,
  { createdAtMs }: Pick<InputStream, 'createdAtMs'>,
): ShownWindow[] | undefined =>
  shown((state.restored()?.erasuresLost ?? []).filter(({ untilMs }) => untilMs > createdAtMs))

/**
 * Returns the time from which on an erasure by data subject may have missed events; undefined if no event was missed.
 */
export const incompleteSince = (
  state: Restores,
  { as, acceptedAtMs }: Pick<ErasureRecord, 'as' | 'acceptedAtMs'>,
): string | undefined =>
  as.includes('data_subject_field')
    ? shown((state.restored()?.subjectsLost ?? []).filter(({ sinceMs }) => sinceMs < acceptedAtMs))
        ?.map(({ since }) => since)
        .toSorted()[0]
    : undefined

/** Returns the period around this time whose erasures a restore may have undone; undefined if there is none. */
export const lostAt = (state: Restores, atMs: number): ShownWindow | undefined =>
  shown(
    (state.restored()?.erasuresLost ?? []).filter(
      ({ sinceMs, untilMs }) => sinceMs <= atMs && atMs < untilMs,
    ),
  )?.[0]

function shown(windows: readonly Window[]): ShownWindow[] | undefined {
  const timeOf = (ms: number): string => new Date(ms).toISOString()
  const times = windows.map(({ sinceMs, untilMs }) => ({
    since: timeOf(sinceMs),
    until: timeOf(untilMs),
  }))
  return times.length === 0 ? undefined : times
}
