// Shows how long outputs may contain values decrypted before an erasure. Names the outputs where the search found no
// such value.
import { isEmpty, timeOf } from '../api/erasure.ts'
import type { Erasure, Holding, ReadersOutput } from '../api/erasure.ts'
import { useLevelWords } from '../purposes/use-purposes.ts'
import { count, dateAndTime, dayOf, many } from '../ui/words.ts'

type Props = {
  readonly erasure: Pick<
    Erasure,
    'id' | 'values' | 'outputs' | 'readers' | 'levels' | 'states' | 'searchedAt' | 'notSearched'
  >
}

export function Holdings({ erasure }: Props) {
  const { id, outputs, levels, values, searchedAt, notSearched } = erasure
  const what = levels === undefined ? 'erasure' : 'withdrawal'
  const field = levels === undefined ? 'personal field' : 'field of the withdrawn levels'
  const empty = outputs.filter(isEmpty)
  const holding = outputs.filter((output) => !isEmpty(output))
  const people = values === 1 ? 'the person' : 'these people'
  return (
    <>
      {outputs.length > 0 ? null : <p class="muted">Weir decrypts these fields in no output.</p>}
      {holding.length === 0 ? null : (
        <>
          <p>
            {holding.every(({ events }) => events !== undefined)
              ? 'These outputs may still contain values'
              : `These outputs decrypt these levels. Those that got events of ${people} may still contain values`}{' '}
            that they decrypted before the {what} was applied
            {levels === undefined
              ? ''
              : ', and outputs that require this consent also contain fields of other levels'}
            . Copies that somebody made of an output are not listed:
          </p>
          <HoldingTable label={`Outputs with decrypted values, ${what} ${id}`} holding={holding} />
        </>
      )}
      {empty.length === 0 ? null : (
        <p>
          The search of {dateAndTime(searchedAt)} found no decrypted {field} of {people} in{' '}
          {empty.length === 1 ? 'this output' : 'these outputs'}: {empty.map(nameOf).join(', ')}.
          Events that arrived later are not counted.
        </p>
      )}
      {erasure.readers.map((output) => (
        <Readers key={output.name} {...output} isApplied={timeOf(erasure, 'applied') !== ''} />
      ))}
      {notSearched === '' ? null : <p>Not everything was searched: {notSearched}.</p>}
    </>
  )
}

type ReadersProps = ReadersOutput & { readonly isApplied: boolean }

/** The output's topic contains nothing decrypted, but its readers may have stored decrypted values. */
function Readers({ name, tags, levels, events, keyMaxAgeSeconds, isApplied }: ReadersProps) {
  const words = useLevelWords()
  if (events === 0)
    return <p>The search found no event in {name}, whose readers decrypt themselves.</p>
  const minutes = many(Math.ceil(keyMaxAgeSeconds / 60), 'minute')
  return (
    <p>
      Readers of <strong>{name}</strong> <span class="muted small">{tags.join(', ')}</span> decrypt
      level {levels.map(words).join(', ')} themselves
      {events === undefined ? '' : `; ${many(events, 'event')} found there`}.{' '}
      {isApplied
        ? `They get no keys for this any more, and those that they had are too old to be used: ${minutes}.`
        : `They get no new keys for this, but may use those that they have for ${minutes}.`}{' '}
      Weir does not know what they have stored decrypted: ask them.
    </p>
  )
}

const nameOf = ({ name, deleted }: Holding): string => `${name}${deleted ? ' (deleted)' : ''}`

function keptUntil({ clearAt, because }: Holding): string {
  if (clearAt === 'unknown') return `unknown: ${because}`
  return Date.parse(clearAt) <= Date.now() ? `clear since ${dateAndTime(clearAt)}` : dayOf(clearAt)
}

type TableProps = { readonly label: string; readonly holding: readonly Holding[] }

function HoldingTable({ label, holding }: TableProps) {
  const words = useLevelWords()
  return (
    <div class="scroller" tabIndex={0} role="region" aria-label={label}>
      <table class="by-row">
        <thead>
          <tr>
            <th scope="col">output</th>
            <th scope="col">levels of fields</th>
            <th scope="col">events found</th>
            <th scope="col">kept until</th>
          </tr>
        </thead>
        <tbody>
          {holding.map((output) => (
            <tr key={output.name}>
              <th scope="row">
                {nameOf(output)} <span class="muted small">{output.tags.join(', ')}</span>
              </th>
              <td data-column="levels of fields">
                {(output.foundLevels ?? output.levels).map(words).join(', ')}
              </td>
              <td data-column="events found">
                {output.events === undefined ? 'unknown' : count(output.events)}
              </td>
              <td data-column="kept until">{keptUntil(output)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
