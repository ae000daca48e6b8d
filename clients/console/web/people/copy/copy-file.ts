// The copy for a person as one zip file: the events of each stream, the places that hold them, and an explanation. Pure.
import { strToU8, zipSync } from 'fflate'
import type { Output } from '../../api/account.ts'
import { csvFile } from '../../ui/csv-file.ts'
import { dateAndTime } from '../../ui/words.ts'
import { personalFieldsIn, placeKinds, readersDecrypt } from '../places.ts'
import type { FoundPlaces, Knowing } from '../places.ts'

export type Copy = {
  /** The value that was searched. */
  readonly person: string
  /** Without the events that name somebody else. */
  readonly isAlone: boolean
  readonly startedAt: string
  readonly createdAt: string
  readonly streams: readonly FoundPlaces[]
  /** The events as CSV, by stream. */
  readonly events: ReadonlyMap<string, Uint8Array>
  readonly outputs: ReadonlyMap<string, readonly Output[]>
}

/** The file is named after the person, so that those of two people are not confused. */
export const copyName = (person: string, what: string, ending: string): string =>
  `${`${person.slice(0, 60)}-${what}`.replaceAll(/[^\w.@-]+/g, '_')}.${ending}`

export const copyFile = (copy: Copy, knowing: Knowing): Uint8Array<ArrayBuffer> =>
  zipSync(
    {
      ...Object.fromEntries(
        [...copy.events].map(([stream, csv]) => [copyName(copy.person, stream, 'csv'), csv]),
      ),
      'where.csv': strToU8(csvFile(rowsOf(copy, knowing))),
      'README.txt': strToU8(explanationOf(copy)),
    },
    { level: 1 }, // the page stands still meanwhile
  )

const rowsOf = ({ streams, outputs }: Copy, { contracts, words }: Knowing) =>
  streams.flatMap((found) =>
    found.held.map((place) => {
      const { name, kind, events, erased, until, because } = place
      const output =
        kind === 'output' ? outputs.get(found.stream)?.find((one) => one.name === name) : undefined
      const fields = personalFieldsIn(place, found, { contracts, words })
      const sentWith = kind === 'input' ? found.consent.map(({ level }) => level) : []
      const levels = output?.levels ?? sentWith
      const isWithdrawn = (level: number): boolean =>
        kind === 'input' && found.withdrawn.includes(level)
      return {
        stream: found.stream,
        place: name,
        kind: placeKinds[kind],
        events,
        events_erased: erased,
        decrypted_fields: fields.decrypted,
        encrypted_fields: fields.encrypted,
        consent_levels: levels
          .map((level) => `${words(level)}${isWithdrawn(level) ? ' withdrawn since' : ''}`)
          .join(', '),
        tags: output?.tags.join(', ') ?? '',
        readers_can_decrypt: readersDecrypt(found, output, words),
        kept_until: until.slice(0, 10), // the end of a retention is only known to the day
        because,
      }
    }),
  )

function explanationOf({ person, isAlone, startedAt, createdAt, streams, events }: Copy): string {
  const missing = streams.filter(({ notSearched }) => notSearched !== '')
  const unreadable = streams.filter(
    ({ stream, held }) => !events.has(stream) && held.some((place) => place.events > 0),
  )
  const sentences = [
    `The files with the name of a stream contain its events of «${person}», and where.csv lists, for your organization, where these events are stored and until when.`,
    ...(isAlone ? ['Events that name somebody else were left out.'] : []),
    'In the files of streams, each row is one field of an event. The column purpose has the name of the consent level of a personal field.',
    'The column person says what an event has in the field that names people: searched is this value; other is another value, so the event may be about somebody else; linked is none, so the event only has the same device, session or the like; encrypted is not known.',
    'A row with the field «consent level» has a level that the event was sent with consent to.',
    'In where.csv, consent_levels of the place of a stream are the levels that its events were sent with; those of an output are the levels that an event needs to get there. tags are names that your organization has given to an output, such as the team that reads it.',
    'A place with dead letters has events that an output could not derive, all encrypted. If readers of an output decrypt, readers_can_decrypt lists the levels that they can decrypt. If kept_until is unknown, because says why.',
    `The search started on ${dateAndTime(startedAt)}, and the files were created on ${dateAndTime(createdAt)}.`,
    missing.length === 0
      ? 'All streams of the account were searched.'
      : `Not everything was searched: ${missing.map((one) => `${one.stream} (${one.notSearched})`).join(', ')}.`,
    'Events of this person under other values are not included, unless these occurred together with this value in an event of the same stream.',
    ...(unreadable.length === 0
      ? []
      : [
          `There is no file with the events of ${unreadable.map(({ stream }) => stream).join(', ')}: nobody can decrypt their personal fields any more, or only outputs still contain them.`,
        ]),
  ]
  return `${sentences.join('\r\n')}\r\n`
}
