// Where a stream and its outputs contain events of a person, with which personal fields, and until when.
import type { Calls } from '../api/calls.ts'
import type { Output } from '../api/account.ts'
import type { Held } from '../api/held.ts'
import type { FoundIn } from '../api/people.ts'
import { outputsIn } from '../api/resources.ts'
import type { LevelWords } from '../purposes/level-words.ts'
import { useLevelWords } from '../purposes/use-purposes.ts'
import { Problems } from '../ui/problems.tsx'
import { useLoad } from '../ui/use-load.ts'
import { count, dayOf } from '../ui/words.ts'
import { personalFieldsIn, placeKinds, readersDecrypt } from './places.ts'
import type { Fields } from './searched-fields.tsx'

type Props = { readonly calls: Calls; readonly found: FoundIn; readonly fields: Fields }

export function HeldTable({ calls, found, fields }: Props) {
  const { stream, held } = found
  const outputs = useLoad(() => outputsIn(calls, stream), [calls, found])
  const there = held.filter(({ events }) => events > 0)
  if (there.length === 0) return null
  return (
    <div class="scroller" tabIndex={0} role="region" aria-label={`Where ${stream} holds events`}>
      <table class="by-row">
        <thead>
          <tr>
            <th scope="col">where</th>
            <th scope="col">{found.events === 0 ? 'events with this value' : 'events'}</th>
            <th scope="col">personal fields</th>
            <th scope="col">kept until</th>
          </tr>
        </thead>
        <tbody>
          {there.map((place) => (
            <PlaceRow
              key={`${place.kind} ${place.name}`}
              {...{ place, found, fields }}
              output={
                place.kind === 'output'
                  ? outputs.value?.find(({ name }) => name === place.name)
                  : undefined
              }
            />
          ))}
        </tbody>
      </table>
      <p class="muted small">
        Numbers may differ, because an output gets only events with consent to its levels, and keeps
        them for its own time. Tags are your organization's words for who reads an output.
      </p>
      <Problems of={outputs.error} />
    </div>
  )
}

type RowProps = Omit<Props, 'calls'> & {
  readonly place: Held
  readonly output: Output | undefined
}

function PlaceRow({ place, output, found, fields }: RowProps) {
  const words = useLevelWords()
  const { name, kind, events, until, because } = place
  const { contracts = [] } = fields.value ?? {}
  return (
    <tr>
      <th scope="row">
        {name}{' '}
        <span class="muted small">
          {placeKinds[kind]}
          {output === undefined
            ? ''
            : ` for consent to level ${output.levels.map(words).join(', ')}`}
          {output === undefined || output.tags.length === 0
            ? ''
            : `; tags: ${output.tags.join(', ')}`}
        </span>
      </th>
      <td data-column="events">{count(events)}</td>
      <td data-column="personal fields">
        {fieldsInWords(personalFieldsIn(place, found, { contracts, words }))}
        {byReaders(found, output, words)}
      </td>
      <td data-column="kept until">{until === 'unknown' ? `unknown: ${because}` : dayOf(until)}</td>
    </tr>
  )
}

function fieldsInWords({ decrypted, encrypted }: ReturnType<typeof personalFieldsIn>): string {
  const parts = [
    decrypted === '' ? '' : `decrypted: ${decrypted}`,
    encrypted === '' ? '' : `encrypted: ${encrypted}`,
  ]
  return parts.filter((part) => part !== '').join('; ') || 'none'
}

/** Says which levels readers can decrypt, because «encrypted» alone would mean that nobody can. */
function byReaders(found: FoundIn, output: Output | undefined, words: LevelWords): string {
  const levels = readersDecrypt(found, output, words)
  return levels === '' ? '' : `; readers with this output's credentials can decrypt ${levels}`
}
