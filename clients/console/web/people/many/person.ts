// A person in the list: what was found, earlier requests, and what can still be requested. Pure.
import { isRecord, outputsKeepUntil, timeOf } from '../../api/erasure.ts'
import type { Erasure, Holding } from '../../api/erasure.ts'
import { isoDay } from '../../ui/words.ts'
import type { Listed, Outcome } from './people-file.ts'

/** The part of a stream's search result that is used here. */
export type Found = {
  readonly stream: string
  readonly events: number
  readonly held: readonly { readonly events: number }[]
  readonly isErased: boolean
  readonly notSearched: string
}

export type Person = Listed & {
  readonly search?: { readonly id: string; readonly streams: readonly Found[] }
  /** Why the search failed. */
  readonly problem?: string
  /** Earlier requests for the person. A search may not find events that these requests erased. */
  readonly earlier: readonly EarlierRequest[]
  /** One for each stream that was tried. */
  readonly outcomes: readonly Outcome[]
}

export type EarlierRequest = { readonly stream: string; readonly erasure: Erasure }

/** Returns the streams with events of the person, without those where the person is erased. */
export const toErase = ({ search, outcomes }: Person): readonly Found[] =>
  search?.streams.filter((found) => canErase(found) && !isDone(outcomes, found)) ?? []

export const canErase = ({ events, isErased }: Found): boolean => events > 0 && !isErased

/**
 * Returns the streams without a request if nothing was found in any stream, and nothing was erased before. Otherwise
 * returns an empty list.
 */
export const toRecord = ({ search, earlier, outcomes }: Person): readonly Found[] =>
  search?.streams.every(isEmpty) && earlier.every(({ erasure }) => isRecord(erasure))
    ? search.streams.filter((found) => !isDone([...earlier, ...outcomes], found))
    : []

const isEmpty = ({ held, notSearched }: Found): boolean =>
  notSearched === '' && held.every(({ events }) => events === 0)

const isDone = (
  requests: readonly { readonly stream: string; readonly problem?: string }[],
  found: Found,
): boolean => requests.some(({ stream, problem = '' }) => stream === found.stream && problem === '')

/** Whether a person was searched, and neither an event nor an earlier request is known. */
export const isNowhere = ({ search, earlier }: Person): boolean =>
  search !== undefined && earlier.length === 0 && search.streams.every(isUntold)

/** Whether the search found no trace of the person in this stream. */
export const isUntold = (found: Found): boolean =>
  found.events === 0 && !found.isErased && isEmpty(found)

export function doneBy(erasure: Erasure): string {
  if (erasure.levels !== undefined) return 'consent withdrawn'
  return isRecord(erasure) ? 'nothing found, recorded' : 'erased'
}

/** Returns, for each line of the list, one result per stream, or one result that says why nothing was done. */
export function linesOf(person: Person): readonly Outcome[] {
  const { asked, lines, outcomes, earlier } = person
  const before = earlier
    .filter(({ stream }) => !outcomes.some((outcome) => outcome.stream === stream))
    .map(({ stream, erasure }) => ({
      ...asked,
      ...toldBy(erasure),
      stream,
      events: erasure.found,
      salt: '', // only the results of that request have it
      problem: `${doneBy(erasure)} already on ${isoDay(Date.parse(timeOf(erasure, 'accepted')))}`,
    }))
  const all = [...outcomes, ...before]
  const rows = all.length > 0 ? all : [{ ...asked, ...noOutcome, problem: whyNone(person) }]
  return lines.flatMap((line) => rows.map((row) => ({ ...row, ...line })))
}

function whyNone({ search, problem }: Person): string {
  if (search === undefined && problem !== undefined) return problem
  const isErased = search?.streams.some((found) => found.isErased) === true
  return isErased ? 'already erased' : 'no event was found: not erased'
}

export const noOutcome = {
  stream: '',
  events: 0,
  outputs: '',
  keptUntil: '',
  erasure: '',
  salt: '',
}

/** Returns the part of a result that describes the request. */
export const toldBy = ({ id, outputs }: Erasure) => ({
  outputs: countsIn(outputs),
  keptUntil: outputsKeepUntil(outputs),
  erasure: id,
})

const countsIn = (outputs: readonly Holding[]): string =>
  outputs.map(({ name, events = 'unknown' }) => `${name}: ${events}`).join('; ')
