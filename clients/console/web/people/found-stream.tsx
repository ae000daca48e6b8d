// What one stream contains of a person: which events, where, which fields decrypted and until when; and the possible
// actions.
import type { Calls } from '../api/calls.ts'
import type { Output } from '../api/account.ts'
import type { Erasure } from '../api/erasure.ts'
import { eventsOf, isErasable } from '../api/people.ts'
import type { FoundIn, Held } from '../api/people.ts'
import { outputsIn } from '../api/resources.ts'
import { hrefOf } from '../place.ts'
import type { LevelWords } from '../purposes/level-words.ts'
import { useLevelWords } from '../purposes/use-purposes.ts'
import { Problems } from '../ui/problems.tsx'
import { saveFile } from '../ui/save-file.ts'
import { useDoing } from '../ui/use-doing.ts'
import { useLoad } from '../ui/use-load.ts'
import { count, dateAndTime, dayOf, many } from '../ui/words.ts'
import { levelsInWords } from './levels.ts'
import type { AskedOf } from './person-dialog.tsx'
import { RequestLink } from './request-link.tsx'
import type { Fields } from './searched-fields.tsx'

type Props = {
  readonly calls: Calls
  readonly searchId: string
  /** The value that was searched. */
  readonly person: string
  readonly found: FoundIn
  readonly fields: Fields
  /** The person's last request of this session in this stream. */
  readonly request: Erasure | undefined
  readonly onAsk: (asked: AskedOf) => void
}

export function FoundStream({ request, ...props }: Props) {
  const words = useLevelWords()
  const { found } = props
  const { stream, events, by, held, isErased, withdrawn, notSearched } = found
  return (
    <section class="card" aria-label={`Stream ${stream}`}>
      <header>
        <h2>{stream}</h2>
        <span class="muted small">{many(events, 'event')} of this person</span>
        <Actions {...props} />
      </header>
      {isErased ? (
        <p>
          <strong>Erased:</strong> no service of Weir decrypts the personal fields of these events
          any more.{keptBelow(held)} The search still finds the events, because they contain a keyed
          hash of the value.
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
          <strong>Withdrawn:</strong> level {withdrawn.map(words).join(', ')}.{keptBelow(held)}
        </p>
      )}
      {request === undefined ? null : (
        <p>
          <RequestLink {...{ stream, request }} />
        </p>
      )}
      {notSearched === '' ? null : (
        <p class="problems">Not everything was searched: {notSearched}.</p>
      )}
      <ul class="plain">
        {by.map(({ contract, field, events: ofIt, firstAt, lastAt }) => (
          <li key={`${contract} ${field}`}>
            {many(ofIt, 'event')} of {contract}, named by <code>{field}</code>,{' '}
            {dateAndTime(firstAt) === dateAndTime(lastAt)
              ? dateAndTime(firstAt)
              : `from ${dateAndTime(firstAt)} to ${dateAndTime(lastAt)}`}
          </li>
        ))}
      </ul>
      <HeldTable {...props} />
      {isErasable(found) ? (
        <p>
          Several people may use the same device or session. A copy then contains data of the
          others, too: read it before you give it to the person.
        </p>
      ) : null}
      <NotPersonal {...props} />
    </section>
  )
}

const erasedIn = (held: readonly Held[]): number =>
  held.reduce((sum, { erased }) => sum + erased, 0)

const keptBelow = (held: readonly Held[]): string =>
  held.some(({ decrypted }) => decrypted.length > 0)
    ? ' Outputs keep what they decrypted before, until the days below.'
    : ''

/** Without this, «none» is taken for «nothing that one can read». */
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

function Actions({ calls, searchId, person, found, onAsk }: Omit<Props, 'request' | 'fields'>) {
  const { stream } = found
  const csv = useDownload(calls, person, { stream, searchId, format: 'csv' })
  const ndjson = useDownload(calls, person, { stream, searchId, format: 'ndjson' })
  if (!isErasable(found)) return null
  return (
    <>
      <span class="actions">
        <button type="button" onClick={csv.run} disabled={csv.isDoing}>
          Download as a spreadsheet (CSV)
        </button>
        <button type="button" onClick={ndjson.run} disabled={ndjson.isDoing}>
          Download as JSON
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

/** The file is named after the person, so that those of two people are not confused. */
const useDownload = (calls: Calls, person: string, what: Parameters<typeof eventsOf>[1]) =>
  useDoing(async () => {
    const file = await eventsOf(calls, what)
    const name = `${person.slice(0, 60)}-${what.stream}`.replaceAll(/[^\w.@-]+/g, '_')
    saveFile(file, `${name}.${what.format === 'csv' ? 'csv' : 'jsonl'}`)
  })

/** Of an output whose readers decrypt, «none» alone would say that nobody can read these fields. */
function byReaders(
  { isErased, withdrawn }: FoundIn,
  output: Output | undefined,
  words: LevelWords,
): string {
  if (isErased || output?.keyMaxAgeSeconds === undefined) return ''
  const but = withdrawn.length === 0 ? '' : ', except what is withdrawn'
  return `; readers with this output's credentials can decrypt ${levelsInWords(output, words)}${but}`
}

const kinds = {
  input: 'stream',
  output: 'output',
  dead: 'dead letters of an output',
  deleted: 'deleted output',
} as const satisfies Record<Held['kind'], string>

function HeldTable({ calls, found }: Pick<Props, 'calls' | 'found'>) {
  const { stream, held } = found
  const words = useLevelWords()
  const outputs = useLoad(() => outputsIn(calls, stream), [calls, found])
  const outputOf = (wanted: string) => outputs.value?.find(({ name }) => name === wanted)
  const there = held.filter(({ events }) => events > 0)
  if (there.length === 0) return null
  return (
    <div class="scroller" tabIndex={0} role="region" aria-label={`Where ${stream} holds events`}>
      <table class="by-row">
        <thead>
          <tr>
            <th scope="col">where</th>
            <th scope="col">events</th>
            <th scope="col">decrypted personal fields</th>
            <th scope="col">kept until</th>
          </tr>
        </thead>
        <tbody>
          {there.map(({ name, kind, events, decrypted, until, because }) => (
            <tr key={`${kind} ${name}`}>
              <th scope="row">
                {name} <span class="muted small">{kinds[kind]}</span>
              </th>
              <td data-column="events">{count(events)}</td>
              <td data-column="decrypted">
                {decrypted.length === 0 ? 'none' : decrypted.join(', ')}
                {kind === 'output' ? byReaders(found, outputOf(name), words) : ''}
              </td>
              <td data-column="kept until">
                {until === 'unknown' ? `unknown: ${because}` : dayOf(until)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="muted small">
        Other personal fields are encrypted. Numbers may differ, because an output gets only events
        with consent to its levels, and keeps them for its own time.
      </p>
      <Problems of={outputs.error} />
    </div>
  )
}
