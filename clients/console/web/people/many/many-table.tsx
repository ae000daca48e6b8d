// The people of a list: where each was found, and what became of it.
import { dayOf, isPast, many } from '../../ui/words.ts'
import type { FoundIn } from '../../api/people.ts'
import type { Person } from './use-many.ts'

export const ManyTable = ({ people }: { readonly people: readonly Person[] }) => (
  <div class="scroller tall" tabIndex={0} role="region" aria-label="People of the file">
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
            <td data-column="found">{foundOf(person)}</td>
            <td data-column="result">{outcomesOf(person)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

function foundOf({ search, problem }: Person): string {
  if (search === undefined) return problem ?? ''
  const places = search.streams.map(placeOf).filter((place) => place !== '')
  return places.length === 0 ? 'nowhere: check the spelling' : places.join('; ')
}

function placeOf({ stream, events, isErased, notSearched }: FoundIn): string {
  const missing = notSearched === '' ? '' : `not everything was searched: ${notSearched}`
  const found = events === 0 ? '' : many(events, 'event')
  const erased = isErased ? 'already erased' : ''
  const told = [found, erased, missing].filter((text) => text !== '')
  return told.length === 0 ? '' : `${stream}: ${told.join(', ')}`
}

const outcomesOf = ({ outcomes }: Person): string =>
  outcomes
    .map(({ stream, events, problem }) => {
      if (problem !== '') return `not in ${stream}: ${problem}`
      return events === 0 ? `nothing in ${stream}: recorded` : `erased from ${stream}`
    })
    .join('; ')
