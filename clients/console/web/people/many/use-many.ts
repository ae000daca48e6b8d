// Searches many people one after another, and then erases each in every stream where events were found. A failure for
// one person doesn't stop the others. Both steps can be repeated.
import { useState } from 'preact/hooks'
import { sentencesOf } from '../../api/calls.ts'
import { requestKey } from '../../api/erasure.ts'
import { erase, existingErasure } from '../../api/erasures.ts'
import { searchPerson } from '../../api/people.ts'
import type { Session } from '../../session.ts'
import { useDoing } from '../../ui/use-doing.ts'
import { earlierRequests } from './earlier-requests.ts'
import type { Asked, Listed, Outcome, Requested } from './people-file.ts'
import { noOutcome, toErase, toldBy, toRecord } from './person.ts'
import type { Found, Person } from './person.ts'

/** The reference and the due date for people who have none in the list. */
export type ForAll = Omit<Asked, 'value'> & {
  /** Whether an erasure is also recorded for people of whom nothing was found. */
  readonly records: boolean
}

export function useMany(session: Session, forAll: ForAll) {
  const [read, setPeople] = useState<readonly Person[]>([])
  const people = read.map(({ asked, lines, ...person }) => ({
    ...person,
    asked: withAll(asked, forAll),
    lines: lines.map((line) => withAll(line, withAll(asked, forAll))),
  }))
  const change = (at: number, changed: (person: Person) => Person): void =>
    setPeople((all) => all.map((one, index) => (index === at ? changed(one) : one)))
  const searching = useDoing(async () => {
    for (const [at, person] of people.entries()) {
      if (person.search !== undefined) continue
      const found = await searchFor(session, person).catch((error: unknown) => ({
        problem: inWords(error),
      }))
      change(at, (one) => ({ ...one, ...found }))
    }
  })
  const erasing = useDoing(async () => {
    for (const [at, person] of people.entries())
      for (const found of [...toErase(person), ...(forAll.records ? toRecord(person) : [])]) {
        const outcome = await eraseIn(session, person, found)
        change(at, ({ outcomes, ...rest }) => ({
          ...rest,
          outcomes: [...outcomes.filter(({ stream }) => stream !== found.stream), outcome],
        }))
      }
  })
  const start = (listed: readonly Listed[]): void =>
    setPeople(listed.map((one) => ({ ...one, earlier: [], outcomes: [] })))
  return { people, start, searching, erasing }
}

const withAll = ({ value, reference, dueOn }: Asked, forAll: Omit<Asked, 'value'>): Asked => ({
  value,
  reference: reference || forAll.reference.trim(),
  dueOn: dueOn || forAll.dueOn,
})

const inWords = (error: unknown): string => sentencesOf(error).join('; ')

async function searchFor({ calls, requests }: Session, person: Person) {
  const search = await searchPerson(calls, person.asked.value)
  const known = { requests, existing: async (named: Requested) => existingErasure(calls, named) }
  const streams = search.streams.map(({ stream }) => stream)
  return { search, earlier: await earlierRequests(known, person, streams) }
}

async function eraseIn({ calls, requests }: Session, person: Person, found: Found) {
  const { asked, search } = person
  const { reference, dueOn } = asked
  const { stream, events } = found
  const outcome: Outcome = { ...noOutcome, ...asked, stream, events, problem: '' }
  try {
    const { erasure, salt } = await erase(calls, stream, {
      searchId: search?.id ?? '',
      ...(events === 0 ? { evenIfNoneFound: true } : {}),
      ...(reference === '' ? {} : { reference }),
      ...(dueOn === '' ? {} : { dueOn }),
    })
    requests.set(requestKey(asked.value, stream), erasure)
    return { ...outcome, ...toldBy(erasure), salt }
  } catch (error) {
    return { ...outcome, problem: inWords(error) }
  }
}
