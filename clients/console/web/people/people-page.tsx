// What all streams of the account contain of a person, and an officer's actions. Only a search sends the value to auth,
// in the body of a request. Later requests use the search's id, so that an erasure uses exactly the fields that the
// search has found.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Calls } from '../api/calls.ts'
import type { PageProps } from '../session.ts'
import { requestKey } from '../api/erasure.ts'
import type { Erasure } from '../api/erasure.ts'
import { isErasable, searchPerson } from '../api/people.ts'
import type { Naming } from '../api/held.ts'
import type { FoundIn, Search } from '../api/people.ts'
import { listContracts } from '../api/resources.ts'
import { Problems } from '../ui/problems.tsx'
import { useDoing } from '../ui/use-doing.ts'
import type { Doing } from '../ui/use-doing.ts'
import { useLoad } from '../ui/use-load.ts'
import { AllCopies } from './copy/all-copies.tsx'
import { FoundStream } from './found-stream.tsx'
import { searchFields } from './levels.ts'
import { MadeDialog } from './made-dialog.tsx'
import { ManyDialog } from './many/many-dialog.tsx'
import { NothingIn } from './nothing-in.tsx'
import { PersonDialog } from './person-dialog.tsx'
import { Progress } from './progress.tsx'
import { WhichEvents } from './copy/which-events.tsx'
import type { StreamAnswer, AskedOf } from './person-dialog.tsx'
import type { Fields } from './searched-fields.tsx'

export function PeoplePage({ session }: PageProps) {
  const { calls, requests } = session
  const [asked, setAsked] = useState<AskedOf>()
  const [answers, setAnswers] = useState<readonly StreamAnswer[]>([])
  const [isMany, setMany] = useState(false)
  const fields = useLoad(async () => searchFields(await listContracts(calls)), [calls])
  const { search, searched, searching, refreshing, onSearch, ...form } = useSearch(session)
  const keyOf = ({ stream }: FoundIn): string => requestKey(searched, stream)
  const onDone = (done: readonly StreamAnswer[]): void => {
    for (const answer of done)
      if ('made' in answer) requests.set(keyOf(answer.found), answer.made.erasure)
    setAsked(undefined)
    setAnswers(done)
  }
  const onKept = (): void => {
    setAnswers([])
    refreshing.run() // what is stored has changed
  }
  return (
    <>
      <h1>People</h1>
      <p class="said">
        <a href={`${calls.where.authUrl}/docs/guide/officers.html`} target="_blank" rel="noopener">
          How a person is found, informed and erased
        </a>
      </p>
      <SearchForm {...{ ...form, fields, searching }} error={searching.error ?? refreshing.error}>
        <button type="button" onClick={() => setMany(true)}>
          Erase many people …
        </button>
      </SearchForm>
      <div role="status" class="said">
        <Progress
          {...{ search, searched, fields, where: calls.where, onSearch }}
          isSearching={searching.isDoing || refreshing.isDoing}
        />
      </div>
      {search?.isDone ? (
        <Result
          {...{ search, calls, fields }}
          requestOf={(found) => requests.get(keyOf(found))}
          person={searched}
          onAsk={setAsked}
        />
      ) : null}
      {asked === undefined || search === undefined ? null : (
        <PersonDialog
          {...{ calls, fields, ...asked, onDone }}
          person={searched}
          searchId={search.id}
          onClose={() => setAsked(undefined)}
        />
      )}
      {isMany ? <ManyDialog {...{ session, fields }} onClose={() => setMany(false)} /> : null}
      {answers.length === 0 ? null : (
        <MadeDialog {...{ answers, where: calls.where }} person={searched} onClose={onKept} />
      )}
    </>
  )
}

function useSearch({ calls, people }: PageProps['session']) {
  const [value, onValue] = useState(people.value)
  const [searched, setSearched] = useState(people.value)
  const [search, setSearch] = useState(people.search)
  const searchFor = async (term: string): Promise<void> => {
    setSearch(undefined)
    setSearched(term)
    people.value = term
    delete people.search
    const found = await searchPerson(calls, term, setSearch)
    if (people.value === term) people.search = found
  }
  const searching = useDoing(async () => {
    if (value === '') throw new Error('Enter a value to search for.')
    await searchFor(value)
  })
  const refreshing = useDoing(() => searchFor(people.value)) // the field may contain another value by now
  // Repeats a search during which the user left the page.
  useEffect(() => {
    if (people.value !== '' && people.search === undefined) refreshing.run()
  }, [])
  const onSearch = (term: string): void => {
    onValue(term)
    people.value = term
    refreshing.run()
  }
  return { value, onValue, search, searched, searching, refreshing, onSearch }
}

type FormProps = {
  readonly fields: Fields
  readonly value: string
  readonly onValue: (value: string) => void
  readonly searching: Doing
  readonly error: unknown
  readonly children: ComponentChildren
}

function SearchForm({ fields, value, onValue, searching, error, children }: FormProps) {
  const field = useRef<HTMLInputElement>(null)
  // No focus if an earlier search is shown, or on a touch screen, where the keyboard would open over the page.
  useEffect(() => {
    if (value === '' && !matchMedia('(pointer: coarse)').matches) field.current?.focus()
  }, [])
  return (
    <form class="card person" noValidate onSubmit={searching.onSubmit}>
      <label>
        Find a person{' '}
        <span class="hint">
          {fields.value?.naming.length === 0
            ? 'No contract exists yet, so no field names people'
            : `by the exact value of one of these fields: ${fields.value?.naming.join(', ') ?? '…'}. The audit log records the search, without the value`}
        </span>
        <input
          ref={field}
          required
          autocomplete="off"
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      </label>
      <Problems of={error ?? fields.error} />
      <p class="row">
        <button type="submit" class="main" disabled={searching.isDoing}>
          {searching.isDoing ? 'Searching …' : 'Search all streams'}
        </button>
        {children}
      </p>
    </form>
  )
}

type ResultProps = {
  readonly calls: Calls
  readonly search: Search
  readonly fields: Fields
  readonly person: string
  /** Returns this session's last request for the person in this stream. */
  readonly requestOf: (found: FoundIn) => Erasure | undefined
  readonly onAsk: (asked: AskedOf) => void
}

const isAnywhere = ({ held, notSearched }: FoundIn): boolean =>
  notSearched !== '' || held.some(({ events }) => events > 0)

function Result({ calls, search, fields, person, requestOf, onAsk }: ResultProps) {
  const others = search.streams.filter((found) => !isAnywhere(found))
  const [first, ...rest] = search.streams.filter(isErasable)
  const [naming, setNaming] = useState<Naming>('not others')
  return (
    <div class="stack">
      {first === undefined ? null : (
        <>
          {[first, ...rest].some(({ by }) => by.some(({ isBesideKey }) => isBesideKey)) ? (
            <WhichEvents {...{ naming }} onNaming={setNaming} />
          ) : null}
          <AllCopies {...{ calls, search, fields, person, naming }} />
        </>
      )}
      {first === undefined || rest.length === 0 ? null : (
        <p class="row">
          <button
            type="button"
            onClick={() => onAsk({ kind: 'withdraw', found: [first, ...rest] })}
          >
            Withdraw a consent in all {rest.length + 1} streams …
          </button>
          <button
            type="button"
            class="danger"
            onClick={() => onAsk({ kind: 'erase', found: [first, ...rest] })}
          >
            Erase from all {rest.length + 1} streams …
          </button>
        </p>
      )}
      {search.streams.filter(isAnywhere).map((found) => (
        <FoundStream
          key={found.stream}
          {...{ calls, person, found, fields, naming, onAsk }}
          searchId={search.id}
          request={requestOf(found)}
        />
      ))}
      {others.length === 0 ? null : <NothingIn {...{ others, requestOf, onAsk }} />}
    </div>
  )
}
