// Erasures and withdrawals: their states, and what remains.
import { useEffect, useState } from 'preact/hooks'
import type { PageProps, Session } from '../session.ts'
import { listInputs } from '../api/resources.ts'
import { goTo, hrefOf } from '../place.ts'
import type { LevelWords } from '../purposes/level-words.ts'
import { useLevelWords } from '../purposes/use-purposes.ts'
import { NoInput } from '../ui/page-of-input.tsx'
import { Problems } from '../ui/problems.tsx'
import { saveFile } from '../ui/save-file.ts'
import { useLoad } from '../ui/use-load.ts'
import { dayOf, many } from '../ui/words.ts'
import { AllReceipts } from './all-receipts.tsx'
import { erasuresFile } from './erasures-file.ts'
import { erasuresOf } from './listed.ts'
import { LostRequests } from './lost-requests.tsx'
import { OneErasure } from './one-erasure.tsx'
import { anyErasure, inOrder, isWanted, kinds } from './wanted.ts'
import type { OfStream, Wanted } from './wanted.ts'

/** The refresh interval per stream: each needs a request, and requests per minute are limited. */
const refreshMs = 3_000
const refreshMsMax = 60_000

export function ErasuresPage({ session, place }: PageProps) {
  const { calls } = session
  const inputs = useLoad(() => listInputs(calls), [calls])
  const all = inputs.value?.map(({ name }) => name)
  const names = all?.filter((name) => place.name === undefined || name === place.name)
  return (
    <>
      <h1>Erasures and withdrawals</h1>
      <Problems of={inputs.error} />
      {names?.length === 0 ? <NoInput place={place} /> : null}
      {names?.length === 0 && place.name !== undefined ? (
        <WithoutReceipts>
          When a stream is deleted, its requests and their receipts are deleted, too.
        </WithoutReceipts>
      ) : null}
      {names === undefined || names.length === 0 ? null : (
        <>
          <LostRequests inputs={(inputs.value ?? []).filter(({ name }) => names.includes(name))} />
          <ErasuresOf key={place.id} {...{ session, names }} all={all ?? []} id={place.id} />
        </>
      )}
    </>
  )
}

type OfProps = {
  readonly session: Session
  /** The streams whose requests are shown. */
  readonly names: readonly string[]
  readonly all: readonly string[]
  /** The id of a request that the filter initially contains, or empty. */
  readonly id: string
}

function ErasuresOf({ session, names, all, id }: OfProps) {
  const { calls } = session
  const words = useLevelWords()
  const [wanted, setWanted] = useState<Wanted>({ ...anyErasure, words: id })
  const erasures = useLoad(() => erasuresOf(calls, names), [calls, names.join()])
  useEffect(() => {
    const everyMs = Math.min(refreshMsMax, refreshMs * names.length)
    const timer = setInterval(() => !document.hidden && erasures.reload(), everyMs)
    return () => clearInterval(timer)
  }, [names.length])
  const value = erasures.value?.requests
  const shown = inOrder(value?.filter((erasure) => isWanted(erasure, wanted)) ?? [], wanted)
  return (
    <>
      <div class="bar">
        <StreamChoice {...{ names, all }} />
        <Choice {...wanted} onChange={(change) => setWanted({ ...wanted, ...change })} />
        <button type="button" disabled={shown.length === 0} onClick={() => saveList(shown, words)}>
          Download this list (CSV)
        </button>
      </div>
      {names.length === all.length ? null : (
        <p class="said">
          Only requests in {names.join(', ')} are shown. <a href={hrefOf('erasures')}>Show all</a>
        </p>
      )}
      <Problems of={erasures.error} />
      {erasures.value?.gone.map((name) => (
        <WithoutReceipts key={name}>
          {`The stream ${name} was deleted. Its requests and their receipts were deleted, too.`}
        </WithoutReceipts>
      ))}
      {value === undefined || shown.length > 0 ? null : (
        <p class="empty">{whyEmpty(value.length, wanted)}</p>
      )}
      {session.may('officer') ? (
        <AllReceipts key={JSON.stringify([names, wanted])} calls={calls} erasures={shown} />
      ) : null}
      <Links session={session} />
      <ul class="erasures">
        {shown.map((erasure) => (
          <OneErasure key={erasure.id} {...{ session, erasure, all }} onChanged={erasures.reload} />
        ))}
      </ul>
    </>
  )
}

const Links = ({ session: { calls, may } }: Pick<OfProps, 'session'>) => (
  <p class="said">
    {may('officer') ? (
      <>
        <a href={hrefOf('people')}>Find a person</a> to make a request.{' '}
      </>
    ) : null}
    <a href={`${calls.where.authUrl}/docs/guide/officers.html`} target="_blank" rel="noopener">
      What requests do, and what remains
    </a>
  </p>
)

const WithoutReceipts = ({ children }: { readonly children: string }) => (
  <p class="said">
    {children} A receipt that was saved before can still be checked, and the audit log still has the
    ids and times of the requests.
  </p>
)

const saveList = (shown: readonly OfStream[], words: LevelWords): void =>
  saveFile(new Blob([erasuresFile(shown, words)], { type: 'text/csv' }), 'requests.csv')

function whyEmpty(count: number, { words, which }: Wanted): string {
  if (count === 0)
    return 'Nothing has been erased or withdrawn. Officers and owners do both on the page People, once they have found a person.'
  if (words === '') return `None of the requests is ${which}.`
  return `None of the ${many(count, 'request')} matches. Requests do not name people: search for the reference, or a date such as ${dayOf('2026-12-24')}.`
}

const StreamChoice = ({ names, all }: Pick<OfProps, 'names' | 'all'>) => (
  <label>
    <span class="unseen">Stream</span>
    <select
      value={names.length === all.length ? '' : names[0]}
      onChange={(event) => goTo('erasures', event.currentTarget.value || undefined)}
    >
      <option value="">all streams</option>
      {all.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  </label>
)

type ChoiceProps = Wanted & { readonly onChange: (change: Partial<Wanted>) => void }

const Choice = ({ words, which, onChange }: ChoiceProps) => (
  <>
    <label class="grow">
      <span class="unseen">Requests with this reference, id or date</span>
      <input
        type="search"
        placeholder="Reference, id or date"
        value={words}
        onInput={(event) => onChange({ words: event.currentTarget.value })}
      />
    </label>
    <label>
      <span class="unseen">State</span>
      <select
        value={which}
        onChange={(event) =>
          onChange({ which: kinds.find((kind) => kind === event.currentTarget.value) ?? 'all' })
        }
      >
        {kinds.map((kind) => (
          <option key={kind}>{kind}</option>
        ))}
      </select>
    </label>
  </>
)
