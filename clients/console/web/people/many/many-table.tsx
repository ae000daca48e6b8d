// The people in a list: where each was found, earlier requests, and the results.
import { useRef } from 'preact/hooks'
import { timeOf } from '../../api/erasure.ts'
import { hrefOf } from '../../place.ts'
import { dayOf, hasSpaceAround, isPast, many } from '../../ui/words.ts'
import { canErase, doneBy, isNowhere, isUntold } from './person.ts'
import type { EarlierRequest, Found, Person } from './person.ts'

export function ManyTable({ people }: { readonly people: readonly Person[] }) {
  const region = useRef<HTMLDivElement>(null)
  const isSearched = people.every(({ search }) => search !== undefined)
  const nowhere = isSearched ? people.filter(isNowhere) : []
  const others = people.filter((person) => !nowhere.includes(person))
  const onShow = (): void => {
    region.current?.scrollTo(0, 0)
    region.current?.focus()
  }
  return (
    <>
      <div
        ref={region}
        class="scroller tall"
        tabIndex={0}
        role="region"
        aria-label="People of the file"
      >
        <Rows people={[...nowhere, ...others]} />
      </div>
      {nowhere.length === 0 ? null : (
        <p class="row">
          {many(nowhere.length, 'person was', 'people were')} found nowhere: see the top of the
          list.{' '}
          <button type="button" onClick={onShow}>
            Show<span class="unseen"> who was found nowhere</span>
          </button>
        </p>
      )}
    </>
  )
}

const Rows = ({ people }: { readonly people: readonly Person[] }) => (
  <table class="by-row">
    <thead>
      <tr>
        <th scope="col">person</th>
        <th scope="col">reference</th>
        <th scope="col">due</th>
        <th scope="col">found</th>
        <th scope="col">result</th>
      </tr>
    </thead>
    <tbody>
      {people.map((person) => (
        <tr key={person.asked.value}>
          <th scope="row">{person.asked.value}</th>
          <td data-column="reference">{person.asked.reference}</td>
          <td data-column="due">
            {dayOf(person.asked.dueOn)}
            {isPast(person.asked.dueOn) ? ', already past' : ''}
          </td>
          <td data-column="found">
            <FoundOf {...person} />
          </td>
          <td data-column="result">{outcomesOf(person)}</td>
        </tr>
      ))}
    </tbody>
  </table>
)

function FoundOf(person: Person) {
  const { search, problem = '', earlier } = person
  if (search === undefined) return problem
  if (isNowhere(person))
    return hasSpaceAround(person.asked.value)
      ? 'nowhere: in the file, the value starts or ends with a space'
      : 'nowhere: check the spelling, or erased before'
  return search.streams.map((found) => {
    const request = earlier.find(({ stream }) => stream === found.stream)
    if (isUntold(found) && request === undefined) return null
    return <FoundHere key={found.stream} {...{ found, request }} />
  })
}

type FoundProps = { readonly found: Found; readonly request: EarlierRequest | undefined }

const FoundHere = ({ found, request }: FoundProps) => (
  <div>
    {found.stream}: {placeOf(found, request)}
    {request === undefined ? null : (
      <>
        {', '}
        <a href={hrefOf('erasures', found.stream, request.erasure.id)}>see the request</a>
      </>
    )}
  </div>
)

function placeOf(found: Found, request: EarlierRequest | undefined): string {
  const { isErased, notSearched, held } = found
  // A search no longer finds all events that an earlier request erased.
  const erased = canErase(found) ? 0 : (request?.erasure.found ?? 0)
  const events = Math.max(found.events, erased)
  const missing = notSearched === '' ? '' : `not everything was searched: ${notSearched}`
  const count = events === 0 ? '' : many(events, 'event')
  const isInOutputs = events === 0 && held.some((place) => place.events > 0)
  const left = isInOutputs ? 'only in outputs or their dead letters' : ''
  const byOthers = isErased && request === undefined ? 'already erased' : ''
  return [count, left, byOthers, requestedIn(found, request), missing]
    .filter((text) => text !== '')
    .join(', ')
}

function requestedIn(found: Found, request: EarlierRequest | undefined): string {
  if (request === undefined) return ''
  const day = dayOf(timeOf(request.erasure, 'accepted'))
  return `${doneBy(request.erasure)} ${canErase(found) ? 'before,' : 'already'} on ${day}`
}

const outcomesOf = ({ outcomes }: Person): string =>
  outcomes
    .map(({ stream, events, problem }) => {
      if (problem !== '') return `not in ${stream}: ${problem}`
      return events === 0 ? `nothing in ${stream}: recorded` : `erased from ${stream}`
    })
    .join('; ')
