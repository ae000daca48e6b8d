// A person's events in one stream: the places, their retention and decrypted fields, and the possible actions.
import { useEffect } from 'preact/hooks'
import type { Calls } from '../api/calls.ts'
import { timeOf } from '../api/erasure.ts'
import type { Erasure } from '../api/erasure.ts'
import { existingErasure } from '../api/erasures.ts'
import type { Held, Naming } from '../api/held.ts'
import { eventsOf, isErasable } from '../api/people.ts'
import type { FoundBy, FoundIn, WantedEvents } from '../api/people.ts'
import { hrefOf } from '../place.ts'
import { useLevelWords } from '../purposes/use-purposes.ts'
import { Problems } from '../ui/problems.tsx'
import { saveFile } from '../ui/save-file.ts'
import { useDoing } from '../ui/use-doing.ts'
import { useLoad } from '../ui/use-load.ts'
import { dateAndTime, many } from '../ui/words.ts'
import { copyName } from './copy/copy-file.ts'
import { HeldTable } from './held-table.tsx'
import type { AskedOf } from './person-dialog.tsx'
import { RequestLink } from './request-link.tsx'
import type { Fields } from './searched-fields.tsx'
import { WhomTheyName } from './whom-they-name.tsx'

type Props = {
  readonly calls: Calls
  readonly searchId: string
  /** The value that was searched. */
  readonly person: string
  readonly found: FoundIn
  readonly fields: Fields
  /** Which events downloads contain. */
  readonly naming: Naming
  /** This session's last request for the person in this stream. */
  readonly request: Erasure | undefined
  readonly onAsk: (asked: AskedOf) => void
}

export function FoundStream({ request, ...props }: Props) {
  const { calls, found } = props
  const { stream, events, by, notSearched } = found
  const isBesideKey = by.some((one) => one.isBesideKey)
  return (
    <section class="card" aria-label={`Stream ${stream}`}>
      <header>
        <h2>{stream}</h2>
        <span class="muted small">
          {many(events, 'event')}{' '}
          {isBesideKey
            ? 'with this value, or of the same device, session or the like'
            : 'with this value'}
        </span>
        <Actions {...props} />
      </header>
      <Changed {...{ calls, found, request }} />
      {request === undefined ? null : (
        <p>
          <RequestLink {...{ stream, request }} />
        </p>
      )}
      {notSearched === '' ? null : (
        <p class="problems">Not everything was searched: {notSearched}.</p>
      )}
      <ul class="plain">
        {by.map((one) => (
          <FoundEvents key={`${one.contract} ${one.field}`} by={one} fields={props.fields} />
        ))}
      </ul>
      <Consent found={found} />
      <HeldTable {...props} />
      {isErasable(found) ? (
        <p>
          An event that names somebody else, for example of a shared device, has «other» in the
          column «person» of a copy.
        </p>
      ) : null}
      {isErasable(found) ? <WhomTheyName {...props} /> : null}
      <NotPersonal {...props} />
    </section>
  )
}

type FoundEventsProps = Pick<Props, 'fields'> & { readonly by: FoundBy }

function FoundEvents({ by, fields }: FoundEventsProps) {
  const { contract, field, isBesideKey, events, firstAt, lastAt } = by
  const keyField = fields.value?.contracts.find(({ id }) => id === contract)?.by[0]
  const [first, last] = [dateAndTime(firstAt), dateAndTime(lastAt)]
  return (
    <li>
      {many(events, 'event')} of {contract},{' '}
      {isBesideKey ? (
        <>
          with this value in <code>{field}</code>, or with the same{' '}
          {keyField === undefined ? 'key field' : <code>{keyField}</code>} as such an event
        </>
      ) : (
        <>
          with this value in <code>{field}</code>
        </>
      )}
      , {first === last ? first : `from ${first} to ${last}`}
    </li>
  )
}

function Changed({ calls, found, request }: Pick<Props, 'calls' | 'found' | 'request'>) {
  const words = useLevelWords()
  const { stream, events, held, isErased, withdrawn, isWaiting, notSearched } = found
  const isApplied = useApplied({ calls, found, request })
  const isPending = request === undefined ? isWaiting : !isApplied
  return (
    <>
      {events === 0 && notSearched === '' ? (
        <p>
          <strong>A search by this value finds no event in the stream any more.</strong> Their
          retention has ended, or the person was erased. That also deletes the link from this value
          to devices, sessions and the like: only a search for such a device, or for somebody else
          who used it, still finds its erased events. They stay until their retention ends, with
          their fields that are not personal. Below are the events in outputs that show this value;
          other events of the person may be there, too. The{' '}
          <a href={hrefOf('erasures', stream)}>request</a> says how many were found before it.
        </p>
      ) : null}
      {isErased ? (
        <p>
          <strong>Erased</strong>
          {request === undefined ? byWhom(found) : ''}:{' '}
          {isPending ? 'as soon as the request is applied, ' : ''}no service of Weir decrypts the
          personal fields of these events any more.
          {keptBelow(held)} Until their retention ends, the events stay, with their other fields and
          a code that Weir computes from the value of the key field with a secret key, by which the
          search still finds them.
        </p>
      ) : null}
      {isErased || erasedIn(held) === 0 ? null : (
        <p>
          <strong>Erased before:</strong> nobody can decrypt the personal fields of {erasedIn(held)}{' '}
          of these events any more, so a copy does not contain them.
          {keptBelow(held)}
        </p>
      )}
      {withdrawn.length === 0 ? null : (
        <p>
          <strong>Withdrawn:</strong> level {withdrawn.map(words).join(', ')}
          {isPending ? ' (not yet applied everywhere)' : ''}.{keptBelow(held)}
        </p>
      )}
      {request === undefined && (isErased || withdrawn.length > 0) ? (
        <p>
          {isWaiting ? (
            <strong>
              At the time of this search a request in this stream was not yet applied by all
              services. If it is for this person, some may still decrypt.{' '}
            </strong>
          ) : null}
          <a href={hrefOf('erasures', stream)}>See the requests in {stream}</a>
        </p>
      ) : null}
    </>
  )
}

/** Erasing a value deletes its links to devices. So events still found through links were erased for somebody else. */
const byWhom = ({ by }: FoundIn): string =>
  by.every(({ isBesideKey }) => isBesideKey)
    ? ', by a request for somebody else with the same device, session or the like'
    : ', by a request for this value, or for a person with this device, session or the like'

const askEveryMs = 2_000

/** Polls the request until it is applied. */
function useApplied({ calls, found, request }: Pick<Props, 'calls' | 'found' | 'request'>) {
  const now = useLoad(
    async () => request && existingErasure(calls, { stream: found.stream, id: request.id }),
    [calls, found, request],
  )
  const isApplied = now.value !== undefined && timeOf(now.value, 'applied') !== ''
  useEffect(() => {
    if (request === undefined || isApplied) return
    const timer = setInterval(() => !document.hidden && now.reload(), askEveryMs)
    return () => clearInterval(timer)
  }, [request, isApplied])
  return isApplied
}

function Consent({ found: { events, consent, withdrawn } }: Pick<Props, 'found'>) {
  const words = useLevelWords()
  if (events === 0) return null
  const levels = consent.map(
    ({ level, events: of }) =>
      `${words(level)} in ${many(of, 'event')}${withdrawn.includes(level) ? ' (withdrawn since)' : ''}`,
  )
  return (
    <p>
      Consent that the events were sent with:{' '}
      {levels.length === 0 ? 'none' : `level ${levels.join(', level ')}`}.
    </p>
  )
}

const erasedIn = (held: readonly Held[]): number =>
  held.reduce((sum, { erased }) => sum + erased, 0)

const keptBelow = (held: readonly Held[]): string =>
  held.some(({ fields }) => fields.length > 0)
    ? ' Outputs keep what they decrypted before, until the days below.'
    : ''

/** Without this list, «none decrypted» could be understood as «nothing is readable». */
const NotPersonal = ({ fields, found }: Pick<Props, 'fields' | 'found'>) =>
  found.by.length === 0 ? null : (
    <div class="muted small">
      <p>The events also have fields that are not personal by their contract, and not encrypted:</p>
      <ul class="plain">
        {[...new Set(found.by.map(({ contract }) => contract))].map((contract) => (
          <li key={contract}>
            <a href={hrefOf('contracts', contract)}>{contract}</a>:{' '}
            {fields.value?.contracts.find(({ id }) => id === contract)?.plain.join(', ') ?? '…'}
          </li>
        ))}
      </ul>
    </div>
  )

type ActionsProps = Omit<Props, 'request' | 'fields'>

function Actions({ calls, searchId, person, found, naming, onAsk }: ActionsProps) {
  const what = { stream: found.stream, searchId, naming }
  const csv = useDownload(calls, person, { ...what, format: 'csv' })
  const ndjson = useDownload(calls, person, { ...what, format: 'ndjson' })
  if (!isErasable(found)) return null
  return (
    <>
      <span class="actions">
        <button type="button" onClick={csv.run} disabled={csv.isDoing}>
          Download as a spreadsheet (CSV)
        </button>
        <button type="button" onClick={ndjson.run} disabled={ndjson.isDoing}>
          Download as JSON Lines
        </button>
        <button type="button" onClick={() => onAsk({ kind: 'withdraw', found: [found] })}>
          Withdraw a consent …
        </button>
        <button
          type="button"
          class="danger"
          onClick={() => onAsk({ kind: 'erase', found: [found] })}
        >
          Erase …
        </button>
      </span>
      <Problems of={csv.error ?? ndjson.error} />
    </>
  )
}

const useDownload = (calls: Calls, person: string, what: WantedEvents) =>
  useDoing(async () => {
    const file = await eventsOf(calls, what)
    saveFile(file, copyName(person, what.stream, what.format === 'csv' ? 'csv' : 'jsonl'))
  })
