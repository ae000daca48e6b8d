// The copy for a person as one zip file: the events of each stream, and an explanation. Pure.
import { strToU8, zipSync } from 'fflate'
import type { Naming } from '../../api/held.ts'
import { dateAndTime } from '../../ui/words.ts'
import type { FoundPlaces } from '../places.ts'

export type Copy = {
  /** The value that was searched. */
  readonly person: string
  readonly naming: Naming
  readonly startedAt: string
  readonly createdAt: string
  readonly streams: readonly FoundPlaces[]
  /** The events as CSV, by stream. */
  readonly events: ReadonlyMap<string, Uint8Array>
}

/** Names the file after the person, so that the files of two people are not confused. */
export const copyName = (person: string, what: string, ending: string): string =>
  `${`${person.slice(0, 60)}-${what}`.replaceAll(/[^\w.@-]+/g, '_')}.${ending}`

export const copyFile = (copy: Copy): Uint8Array<ArrayBuffer> =>
  zipSync(
    {
      ...Object.fromEntries(
        [...copy.events].map(([stream, csv]) => [copyName(copy.person, stream, 'csv'), csv]),
      ),
      'README.txt': strToU8(explanationOf(copy)),
    },
    { level: 1 }, // compression blocks the page
  )

const leftOut = {
  anybody:
    'Events that name somebody else are among them, if they have the same device, session or the like.',
  'not others': 'Events that name somebody else were left out.',
  'the person':
    'Events that do not contain this value in the field that names people were left out.',
} as const satisfies Record<Naming, string>

function explanationOf({ person, naming, startedAt, createdAt, streams, events }: Copy): string {
  const missing = streams.filter(({ notSearched }) => notSearched !== '')
  const unreadable = streams.filter(
    ({ stream, held }) => !events.has(stream) && held.some((place) => place.events > 0),
  )
  const sentences = [
    `The files with the name of a stream contain its events of «${person}». ${leftOut[naming]}`,
    'Each row is one field of an event. The column purpose has the name of the consent level of a personal field.',
    'The column person says what an event has in the field that names people: searched is this value; other is another value, so the event may be about somebody else; linked is none, so the event only has the same device, session or the like; encrypted is a value that cannot be decrypted.',
    'A row with the field «consent level» has a level that the event was sent with consent to.',
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
