// Where the events of a person are stored and until when, as CSV for the organization. Pure.
import type { Output } from '../../api/account.ts'
import { csvFile } from '../../ui/csv-file.ts'
import { personalFieldsIn, placeKinds, readersDecrypt } from '../places.ts'
import type { FoundPlaces, Knowing } from '../places.ts'

export type Places = {
  readonly streams: readonly FoundPlaces[]
  /** The outputs of each input stream. */
  readonly outputs: ReadonlyMap<string, readonly Output[]>
}

export const placesFile = (places: Places, knowing: Knowing): string =>
  csvFile(rowsOf(places, knowing))

const rowsOf = ({ streams, outputs }: Places, { contracts, words }: Knowing) =>
  streams.flatMap((found) =>
    (found.held.length === 0 ? [unsearched(found)] : found.held).map((place) => {
      const { name, kind, events, erased, until, because } = place
      const output =
        kind === 'output' ? outputs.get(found.stream)?.find((one) => one.name === name) : undefined
      const fields = personalFieldsIn(place, found, { contracts, words })
      const sentWith = kind === 'input' ? found.consent.map(({ level }) => level) : []
      const since = (level: number): string =>
        found.withdrawn.includes(level) ? ' withdrawn since' : ''
      return {
        stream: found.stream,
        place: name,
        kind: placeKinds[kind],
        events_found: found.held.length === 0 ? 'unknown' : events,
        events_erased: erased,
        decrypted_fields: fields.decrypted,
        encrypted_fields: fields.encrypted,
        sent_with_consent_to: sentWith.map((level) => words(level) + since(level)).join(', '),
        for_consent_to: output?.levels.map(words).join(', ') ?? '',
        tags_of_output: output?.tags.join(', ') ?? '',
        readers_can_decrypt: readersDecrypt(found, output, words),
        kept_until: until.slice(0, 10), // only the day is known
        kept_until_is_unknown_because: because,
        not_searched: found.notSearched,
      }
    }),
  )

const unsearched = ({ stream }: FoundPlaces): FoundPlaces['held'][number] => ({
  name: stream,
  kind: 'input',
  events: 0,
  erased: 0,
  fields: [],
  until: '',
  because: '',
})
