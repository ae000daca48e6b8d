// How far a search is, what it has found, and the fields that it compares.
import type { Where } from '../api/calls.ts'
import type { Search } from '../api/people.ts'
import { count, hasSpaceAround, many, timeOfDay } from '../ui/words.ts'
import { FieldsOfContracts, OnlyTheseFields } from './searched-fields.tsx'
import type { Fields } from './searched-fields.tsx'

type Props = {
  readonly search: Search | undefined
  readonly searched: string
  readonly fields: Fields
  readonly isSearching: boolean
  readonly where: Where
  readonly onSearch: (value: string) => void
}

export function Progress({ search, searched, fields, isSearching, where, onSearch }: Props) {
  if (search === undefined || (isSearching && search.total === 0)) return null
  if (!search.isDone)
    return (
      <p class="muted">
        {count(search.scanned)} of {many(search.total, 'record')} read
      </p>
    )
  const events = search.streams.reduce((sum, stream) => sum + stream.events, 0)
  const isBesideKey = search.streams.some(({ by }) => by.some((one) => one.isBesideKey))
  const isInOutputs = search.streams.some(({ held }) => held.some((place) => place.events > 0))
  return (
    <>
      {events === 0 && !isInOutputs ? (
        <NothingFound {...{ searched, fields, where, onSearch }} />
      ) : (
        <>
          <p>
            {many(events, 'event')} found for <strong>{searched}</strong>
            {events === 0 ? ' in streams, but outputs still contain some' : ''}
            {isBesideKey
              ? ': with this value, or of the same devices, sessions and the like as an event with it'
              : ''}
            .
          </p>
          <OnlyTheseFields fields={fields} isOpen />
        </>
      )}
      <p class="muted small">
        Searched at {timeOfDay(Date.parse(search.startedAt)).slice(0, 8)} UTC.
      </p>
    </>
  )
}

function NothingFound({
  searched,
  fields,
  where,
  onSearch,
}: Omit<Props, 'search' | 'isSearching'>) {
  const { naming = [], contracts = [] } = fields.value ?? {}
  return (
    <>
      <p>
        No event has <strong>{searched}</strong> in {naming.join(', ')}. Values are compared
        exactly: upper and lower case and spaces count.
        {hasSpaceAround(searched)
          ? ' The value that you entered starts or ends with a space.'
          : ''}{' '}
        {otherSpellings(searched).map((value) => (
          <button key={value} type="button" onClick={() => onSearch(value)}>
            Search for {value}
          </button>
        ))}
      </p>
      {contracts.length === 0 ? null : (
        <>
          <p>
            This does not mean that nothing is stored about the person. A search reads only these
            fields of each contract:
          </p>
          <FieldsOfContracts fields={fields} />
          <p>
            If you know only a value of another field, ask the team that sends the events for the
            value of one of these fields. A new contract can name{' '}
            <a
              href={`${where.authUrl}/docs/forgetting.html#data-subjects-that-are-not-the-key-field`}
              target="_blank"
              rel="noopener"
            >
              one more field that can be searched
            </a>
            .
          </p>
        </>
      )}
    </>
  )
}

/**
 * Returns other spellings: without spaces around the value, in small letters and, if it has a digit and no @, in
 * capitals.
 */
function otherSpellings(searched: string): readonly string[] {
  const plain = searched.trim()
  const others = [
    plain,
    plain.toLowerCase(),
    ...(/\d/.test(plain) && !plain.includes('@') ? [plain.toUpperCase()] : []),
  ]
  return [...new Set(others)].filter((value) => value !== searched && value !== '')
}
