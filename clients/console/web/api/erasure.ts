// An erasure or a withdrawal, as the page knows it. Pure.

export const erasureStates = ['accepted', 'applied', 'complete', 'destroyed'] as const
export type ErasureState = (typeof erasureStates)[number]

/** When a state was reached, and when it is expected: a time, `unknown`, or empty. */
export type StateTimes = { readonly at: string; readonly expectedBy: string }

/** An output that may contain values decrypted before the erasure. */
export type Holding = {
  readonly name: string
  readonly tags: readonly string[]
  /** The levels that the output decrypts. */
  readonly levels: readonly number[]
  /** The levels of fields that the search found decrypted; undefined if unknown. */
  readonly foundLevels: readonly number[] | undefined
  /** The number of events that the search found; undefined if unknown. */
  readonly events: number | undefined
  /** A time, or `unknown`. */
  readonly clearAt: string
  readonly because: string
  readonly deleted: boolean
}

/** An output with encrypted fields, which its readers decrypt. */
export type ReadersOutput = Pick<Holding, 'name' | 'tags' | 'levels' | 'events'> & {
  /** How long readers may use a key. */
  readonly keyMaxAgeSeconds: number
}

export type Erasure = {
  readonly id: string
  readonly values: number
  /** The number of events that the search found. */
  readonly found: number
  readonly searchedAt: string
  /** Whether the value was in the field of the data subject, not only in the key field. */
  readonly isBesideKey: boolean
  /** Why a part of the stream was not searched; empty if all was searched. */
  readonly notSearched: string
  readonly reference: string
  /** A day such as 2026-12-24, or empty. */
  readonly dueOn: string
  /** The withdrawn levels; undefined if the whole person is erased. */
  readonly levels: readonly number[] | undefined
  readonly states: ReadonlyMap<ErasureState, StateTimes>
  readonly outputs: readonly Holding[]
  readonly readers: readonly ReadersOutput[]
  /** When the events themselves are removed: a time, `unknown`, or empty. */
  readonly eventsUntil: string
  /** The time from which a restore has lost links to the person's events; empty if no link was lost. */
  readonly incompleteSince: string
}

/** Returns the key for a person and a stream in the session's requests. */
export const requestKey = (person: string, stream: string): string =>
  JSON.stringify([person, stream])

/** Returns when the state was reached; empty before that. */
export const timeOf = ({ states }: Pick<Erasure, 'states'>, state: ErasureState): string =>
  states.get(state)?.at ?? ''

/** Whether the erasure only records that nothing was found in the stream and its outputs. */
export const isRecord = ({ levels, found, outputs, readers, notSearched }: Erasure): boolean =>
  levels === undefined &&
  found === 0 &&
  notSearched === '' &&
  [...outputs, ...readers].every(({ events = 0 }) => events === 0)

/** Whether the search found no decrypted field of the erasure in the output. */
export const isEmpty = ({ foundLevels }: Holding): boolean => foundLevels?.length === 0

/**
 * Returns the last day on which an output may contain a value decrypted before the erasure: `unknown` if one output's
 * day is unknown, empty if the search found no such value.
 */
export function outputsKeepUntil(outputs: readonly Holding[]): string {
  const times = outputs.flatMap((output) => (isEmpty(output) ? [] : [output.clearAt]))
  return times.includes('unknown') ? 'unknown' : (times.toSorted().at(-1) ?? '').slice(0, 10)
}
