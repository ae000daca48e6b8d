// What an erasure or a withdrawal does, and what remains, before it is confirmed.
import type { Output } from '../api/account.ts'
import type { Calls } from '../api/calls.ts'
import type { Held } from '../api/held.ts'
import type { FoundIn } from '../api/people.ts'
import { dayOf, many } from '../ui/words.ts'
import type { KnownLevel } from './levels.ts'
import type { Fields } from './searched-fields.tsx'
import { WhomTheyName } from './whom-they-name.tsx'

type Props = {
  readonly calls: Calls
  readonly searchId: string
  /** One for each stream. */
  readonly found: readonly FoundIn[]
  readonly fields: Fields
}

type RemainingProps = Pick<Props, 'found'> & {
  readonly known:
    | { readonly levels: readonly KnownLevel[]; readonly outputs: readonly Output[] }
    | undefined
  /** Undefined means all levels. */
  readonly levels: readonly number[] | undefined
}

/** Lists the outputs whose decrypted fields remain, or only those that one of the chosen levels concerns. */
export function Remaining({ known, found, levels }: RemainingProps) {
  const chosen = known?.levels.filter(({ level }) => levels?.includes(level)) ?? []
  const required = new Set(chosen.flatMap(({ outputs }) => outputs))
  const outputs = found
    .flatMap(({ held }) => held)
    .filter(({ kind }) => kind === 'output' || kind === 'deleted')
  const isConcerned = ({ kind, name, fields }: Held): boolean =>
    kind === 'deleted' || required.has(name) || fields.some(({ level }) => levels?.includes(level))
  const keeping = outputs.filter(
    (output) => output.fields.length > 0 && (levels === undefined || isConcerned(output)),
  )
  const reading = known?.outputs.filter(
    ({ name, keyMaxAgeSeconds }) =>
      keyMaxAgeSeconds !== undefined &&
      outputs.some((output) => output.name === name && output.events > 0),
  )
  const empty = outputs.filter(({ events }) => events === 0).map(({ name }) => name)
  return (
    <>
      {keeping.length === 0 ? null : (
        <>
          <p>This does not delete what these outputs have decrypted. It stays there:</p>
          <ul class="plain">
            {keeping.map(({ name, kind, until }) => (
              <li key={`${kind} ${name}`}>
                {name}:{' '}
                {until === 'unknown' ? 'it is not known until when' : `until ${dayOf(until)}`}
              </li>
            ))}
          </ul>
        </>
      )}
      {reading?.map(({ name, keyMaxAgeSeconds = 0 }) => (
        <p key={name}>
          Readers of {name} decrypt themselves. They may use the keys that they already have for{' '}
          {many(Math.ceil(keyMaxAgeSeconds / 60), 'minute')}, and nothing deletes what they have
          stored decrypted.
        </p>
      ))}
      {empty.length === 0 ? null : (
        <p>The search found no event of this person in these outputs: {empty.join(', ')}.</p>
      )}
    </>
  )
}

export function WhatErasingDoes(props: Props) {
  const { found } = props
  const fields = [...new Set(found.flatMap(({ by }) => by.map(({ field }) => field)))]
  return (
    <>
      <p>
        Weir never again decrypts a personal field in the events that were sent until now with this
        value in {fields.join(' or ')}
        {found.some(({ by }) => by.some(({ isBesideKey }) => isBesideKey))
          ? ', or of the same device, session or the like,'
          : ','}{' '}
        in the stream or in a copy of it. Other events with the person's data are not erased. Later
        events are encrypted as for a new person.
      </p>
      <Linked {...props} then="erased" />
      <p>
        If the person wants a copy, download it before: close this window, and use «Download all».
        The events stay, with their other fields: {found.map(stayIn).join(', ')}.
      </p>
    </>
  )
}

type LinkedProps = Props & { readonly then: 'erased' | 'changed' }

/**
 * Warns if the key field names a device or a session: the request applies to all its events, also those of other
 * people.
 */
function Linked({ calls, searchId, found, fields, then }: LinkedProps) {
  const by = found.flatMap((one) => one.by).filter(({ isBesideKey }) => isBesideKey)
  if (by.length === 0) return null
  const keyOf = (id: string): string =>
    fields.value?.contracts.find((contract) => contract.id === id)?.by[0] ?? 'the key field'
  const keys = [...new Set(by.map(({ contract }) => keyOf(contract)))].join(' or ')
  return (
    <>
      <p>
        <strong>This may reach events of other people.</strong> Events are {then} by {keys}, such as
        a device or a session. The values of this person occur in{' '}
        {many(
          by.reduce((sum, { events }) => sum + events, 0),
          'event',
        )}{' '}
        of {[...new Set(by.map(({ contract }) => contract))].join(', ')}: all of them are {then},
        also those that name other people, or nobody.{' '}
        {then === 'erased'
          ? 'Nobody can make a copy for the others afterwards: search for them, and download their copies before. '
          : ''}
        To choose a single device or session, close this, and search for its value instead: «Show
        whom these events name» lists the values.
      </p>
      {found.map((one) => (
        <WhomTheyName key={one.stream} {...{ calls, searchId, fields }} found={one} />
      ))}
    </>
  )
}

function stayIn({ stream, held }: FoundIn): string {
  const day = dayOf(held.find(({ kind }) => kind === 'input')?.until ?? '')
  return `in ${stream} until ${day === '' ? 'Kafka deletes them' : day}`
}

export const WhatRecordingDoes = () => (
  <p>
    This creates a request whose receipt says that 0 events were found. Events of this person that
    have arrived since the search are erased. The receipt can be downloaded after 11 to 15 minutes,
    at the latest after 80 minutes.
  </p>
)

export const WhatWithdrawingDoes = (props: Props) => (
  <>
    <p>
      From now on Weir handles all stored events of this person as if they had been sent without
      these levels. It never again decrypts their fields of these levels, not even for a copy for
      the person, so download the copy before. Tell the team that sends the events, since later
      events keep the levels they are sent with.
    </p>
    <Linked {...props} then="changed" />
  </>
)
