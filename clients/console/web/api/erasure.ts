// An erasure or a withdrawal, as the page knows it. Pure.

export const erasureStates = ['accepted', 'applied', 'complete', 'destroyed'] as const
export type ErasureState = (typeof erasureStates)[number]

/** When it was reached, or when it is expected: a time, `unknown`, or an empty text. */
export type StateTimes = { readonly at: string; readonly expectedBy: string }

/** An output that may contain values that were decrypted before. */
export type Holding = {
  readonly name: string
  readonly tags: readonly string[]
  /** Levels that it decrypts. */
  readonly levels: readonly number[]
  /** The levels of fields that the search found decrypted; undefined if that is unknown. */
  readonly foundLevels: readonly number[] | undefined
  /** Events that the search found in it; undefined if that is unknown. */
  readonly events: number | undefined
  /** A time, or `unknown`. */
  readonly clearAt: string
  readonly because: string
  readonly deleted: boolean
}

/** An output that contains the fields encrypted, and whose readers decrypt them. */
export type ReadersOutput = Pick<Holding, 'name' | 'tags' | 'levels' | 'events'> & {
  /** How long readers may use a key. */
  readonly keyMaxAgeSeconds: number
}

export type Erasure = {
  readonly id: string
  readonly values: number
  /** Events that the search found. */
  readonly found: number
  readonly searchedAt: string
  /** Events were found by their key field, which occurred together with the value. */
  readonly isBesideKey: boolean
  /** Why a part of the stream was not searched; otherwise empty. */
  readonly notSearched: string
  readonly reference: string
  /** A day such as 2026-12-24, or empty. */
  readonly dueOn: string
  /** The levels that are withdrawn; undefined: the whole person is erased. */
  readonly levels: readonly number[] | undefined
  readonly states: ReadonlyMap<ErasureState, StateTimes>
  readonly outputs: readonly Holding[]
  readonly readers: readonly ReadersOutput[]
  /** When the events themselves are removed: a time, `unknown`, or empty. */
  readonly eventsUntil: string
  /** Since when a restore has lost links to events of the person; otherwise empty. */
  readonly incompleteSince: string
}

/** The key of a person and a stream in the session's requests. */
export const requestKey = (person: string, stream: string): string =>
  JSON.stringify([person, stream])

/** When the state was reached; empty if it is not. */
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
 * The last day on which an output may contain a value that it decrypted before, `unknown` if one of them has no such
 * day, or nothing if the search found no such value.
 */
export function outputsKeepUntil(outputs: readonly Holding[]): string {
  const times = outputs.flatMap((output) => (isEmpty(output) ? [] : [output.clearAt]))
  return times.includes('unknown') ? 'unknown' : (times.toSorted().at(-1) ?? '').slice(0, 10)
}
