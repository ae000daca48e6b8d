// Many people one after the other: each is searched, and then erased in every stream where events were found. A failure
// for one person doesn't stop the others, and both steps can be repeated for those that failed.
import { useState } from 'preact/hooks'
import { sentencesOf } from '../../api/calls.ts'
import type { Calls } from '../../api/calls.ts'
import { erase } from '../../api/erasures.ts'
import { outputsKeepUntil } from '../../api/erasure.ts'
import type { Holding } from '../../api/erasure.ts'
import { isErasable, searchPerson } from '../../api/people.ts'
import type { FoundIn, Search } from '../../api/people.ts'
import { useDoing } from '../../ui/use-doing.ts'
import type { Asked, Listed, Outcome } from './people-file.ts'

export type Person = Listed & {
  readonly search?: Search
  /** Why the search failed. */
  readonly problem?: string
  /** One for each stream that was tried. */
  readonly outcomes: readonly Outcome[]
}

/** The reference and the due date of all people who have none of their own. */
export type ForAll = Omit<Asked, 'value'> & {
  /** Whether it is recorded of whom nothing was found. */
  readonly records: boolean
}

export function useMany(calls: Calls, forAll: ForAll) {
  const [read, setPeople] = useState<readonly Person[]>([])
  const people = read.map(({ asked, lines, ...person }) => ({
    ...person,
    asked: withAll(asked, forAll),
    lines: lines.map((line) => withAll(line, withAll(asked, forAll))),
  }))
  const change = (at: number, changed: (person: Person) => Person): void =>
    setPeople((all) => all.map((one, index) => (index === at ? changed(one) : one)))
  const searching = useDoing(async () => {
    for (const [at, { asked, search }] of people.entries()) {
      if (search !== undefined) continue
      const found = await searchPerson(calls, asked.value).then(
        (done) => ({ search: done }),
        (error: unknown) => ({ problem: inWords(error) }),
      )
      change(at, (person) => ({ ...person, ...found }))
    }
  })
  const erasing = useDoing(async () => {
    for (const [at, person] of people.entries())
      for (const found of [...toErase(person), ...(forAll.records ? toRecord(person) : [])]) {
        const outcome = await eraseIn(calls, person, found)
        change(at, ({ outcomes, ...rest }) => ({
          ...rest,
          outcomes: [...outcomes.filter(({ stream }) => stream !== found.stream), outcome],
        }))
      }
  })
  const start = (listed: readonly Listed[]): void =>
    setPeople(listed.map((one) => ({ ...one, outcomes: [] })))
  return { people, start, searching, erasing }
}

const withAll = ({ value, reference, dueOn }: Asked, forAll: Omit<Asked, 'value'>): Asked => ({
  value,
  reference: reference || forAll.reference.trim(),
  dueOn: dueOn || forAll.dueOn,
})

const inWords = (error: unknown): string => sentencesOf(error).join('; ')

/** The streams with events of the person, without those where the person is erased. */
export const toErase = ({ search, outcomes }: Person): readonly FoundIn[] =>
  search?.streams.filter((found) => isErasable(found) && !isDone(outcomes, found)) ?? []

/** All streams, if nothing was found in any of them. */
export const toRecord = ({ search, outcomes }: Person): readonly FoundIn[] =>
  search?.streams.every(isEmpty) ? search.streams.filter((found) => !isDone(outcomes, found)) : []

const isEmpty = ({ held, notSearched }: FoundIn): boolean =>
  notSearched === '' && held.every(({ events }) => events === 0)

const isDone = (outcomes: readonly Outcome[], found: FoundIn): boolean =>
  outcomes.some(({ stream, problem }) => stream === found.stream && problem === '')

/** The results of a person: for each line one for each stream, or one that says why there is none. */
export function linesOf({ lines, search, problem, outcomes }: Person): readonly Outcome[] {
  if (outcomes.length > 0)
    return lines.flatMap((line) => outcomes.map((outcome) => ({ ...outcome, ...line })))
  const isErased = search?.streams.some((found) => found.isErased) === true
  const why = problem ?? (isErased ? 'already erased' : 'no event was found: not erased')
  const none = { ...unanswered, stream: '', events: 0, problem: why }
  return lines.map((line) => ({ ...line, ...none }))
}

const unanswered = { outputs: '', keptUntil: '', erasure: '', salt: '' }

async function eraseIn(calls: Calls, person: Person, { stream, events }: FoundIn) {
  const { asked, search } = person
  const { reference, dueOn } = asked
  const outcome = { ...unanswered, ...asked, stream, events, problem: '' }
  try {
    const { erasure, salt } = await erase(calls, stream, {
      searchId: search?.id ?? '',
      ...(events === 0 ? { evenIfNoneFound: true } : {}),
      ...(reference === '' ? {} : { reference }),
      ...(dueOn === '' ? {} : { dueOn }),
    })
    const { id, outputs } = erasure
    const keptUntil = outputsKeepUntil(outputs)
    return { ...outcome, outputs: countsIn(outputs), keptUntil, erasure: id, salt }
  } catch (error) {
    return { ...outcome, problem: inWords(error) }
  }
}

const countsIn = (outputs: readonly Holding[]): string =>
  outputs.map(({ name, events = 'unknown' }) => `${name}: ${events}`).join('; ')
