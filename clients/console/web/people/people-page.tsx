// A person in all streams of the account: what is stored, and an officer's actions. The value is sent to auth once, in
// the body of a request. Later requests use the search's id, so that nobody is erased by another field than the one
// that was found.
import { useState } from 'preact/hooks'
import type { Calls } from '../api/calls.ts'
import type { PageProps } from '../session.ts'
import type { Made } from '../api/erasures.ts'
import { showSearch, startSearch } from '../api/people.ts'
import type { FoundIn, Search } from '../api/people.ts'
import { Problems } from '../ui/problems.tsx'
import { useDoing } from '../ui/use-doing.ts'
import type { Doing } from '../ui/use-doing.ts'
import { count, many } from '../ui/words.ts'
import { FoundStream } from './found-stream.tsx'
import { MadeDialog } from './made-dialog.tsx'
import { PersonDialog } from './person-dialog.tsx'
import type { Kind } from './person-dialog.tsx'

const everyMs = 300

type Asked = { readonly kind: Kind; readonly found: FoundIn }

export function PeoplePage({ session: { calls } }: PageProps) {
  const [asked, setAsked] = useState<Asked>()
  const [made, setMade] = useState<Made>()
  const { search, searching, ...form } = useSearch(calls)
  const onDone = (done: Made): void => {
    setAsked(undefined)
    setMade(done)
  }
  const onKept = (): void => {
    setMade(undefined)
    searching.run() // what is stored has changed
  }
  return (
    <>
      <h1>People</h1>
      <SearchForm {...form} searching={searching} />
      <Problems of={searching.error} />
      <div role="status" class="said">
        <Progress search={search} isSearching={searching.isDoing} />
      </div>
      {search?.isDone ? (
        <Result {...{ search, calls }} onAsk={(kind, found) => setAsked({ kind, found })} />
      ) : null}
      {asked === undefined || search === undefined ? null : (
        <PersonDialog
          {...{ calls, ...asked, onDone }}
          searchId={search.id}
          onClose={() => setAsked(undefined)}
        />
      )}
      {made === undefined ? null : <MadeDialog made={made} onClose={onKept} />}
    </>
  )
}

function useSearch(calls: Calls) {
  const [value, onValue] = useState('')
  const [search, setSearch] = useState<Search>()
  const searching = useDoing(async () => {
    setSearch(undefined)
    const id = await startSearch(calls, value)
    for (;;) {
      const now = await showSearch(calls, id)
      setSearch(now)
      if (now.isDone) return
      await new Promise((resolve) => setTimeout(resolve, everyMs))
    }
  })
  return { value, onValue, search, searching }
}

type FormProps = {
  readonly value: string
  readonly onValue: (value: string) => void
  readonly searching: Doing
}

function SearchForm({ value, onValue, searching }: FormProps) {
  return (
    <form class="card person" onSubmit={searching.onSubmit}>
      <label>
        Find a person{' '}
        <span class="hint">
          by a value that producers send, exactly as it was sent: of any key field or data subject
          field. The audit log records the search, without the value
        </span>
        <input
          required
          autocomplete="off"
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="main" disabled={searching.isDoing}>
        {searching.isDoing ? 'Searching …' : 'Search all streams'}
      </button>
    </form>
  )
}

function Progress({ search, isSearching }: { search: Search | undefined; isSearching: boolean }) {
  if (search === undefined || (isSearching && search.total === 0)) return null
  if (!search.isDone)
    return (
      <p class="muted">
        {count(search.scanned)} of {many(search.total, 'record')} read
      </p>
    )
  const events = search.streams.reduce((sum, stream) => sum + stream.events, 0)
  return <p>{events === 0 ? 'No event was found.' : `${many(events, 'event')} found.`}</p>
}

type ResultProps = {
  readonly calls: Calls
  readonly search: Search
  readonly onAsk: (kind: Kind, found: FoundIn) => void
}

const isAnywhere = ({ held, notSearched }: FoundIn): boolean =>
  notSearched !== '' || held.some(({ events }) => events > 0)

function Result({ calls, search, onAsk }: ResultProps) {
  const others = search.streams.filter((found) => !isAnywhere(found))
  return (
    <div class="stack">
      {search.streams.filter(isAnywhere).map((found) => (
        <FoundStream key={found.stream} {...{ calls, found, onAsk }} searchId={search.id} />
      ))}
      {others.length === 0 ? null : <NothingIn {...{ others, onAsk }} />}
    </div>
  )
}

type NothingProps = Pick<ResultProps, 'onAsk'> & { readonly others: readonly FoundIn[] }

function NothingIn({ others, onAsk }: NothingProps) {
  return (
    <section class="card" aria-label="Streams without events of this person">
      <p>
        Nothing was found in these streams, in their outputs and dead letters. Values are compared
        exactly: check the spelling, upper and lower case, and spaces at the ends.
      </p>
      <ul class="plain">
        {others.map((found) => (
          <li key={found.stream}>
            {found.stream}{' '}
            <button type="button" class="quiet" onClick={() => onAsk('erase', found)}>
              Erase although nothing was found<span class="unseen"> in {found.stream}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
