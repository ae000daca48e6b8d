// What is stored about a person: searches, and the person's own events.
import { Refused } from './calls.ts'
import type { Calls } from './calls.ts'
import type { Held, Naming, PersonalField } from './held.ts'
import { listOf, numberOf, numbersOf, objectOf, textOf } from './json.ts'
import type { Json } from './json.ts'

export type Search = {
  readonly id: string
  readonly startedAt: string
  readonly isDone: boolean
  /** The number of records read so far. */
  readonly scanned: number
  readonly total: number
  readonly streams: readonly FoundIn[]
}

export type FoundIn = {
  readonly stream: string
  readonly events: number
  readonly by: readonly FoundBy[]
  readonly held: readonly Held[]
  /** The consent levels of the events as sent, each with its number of events. */
  readonly consent: readonly { readonly level: number; readonly events: number }[]
  readonly isErased: boolean
  readonly withdrawn: readonly number[]
  /** Whether a request of the stream, perhaps for this person, was not yet applied everywhere. */
  readonly isWaiting: boolean
  /** Why the stream, or a part of it, was not searched; empty if all was searched. */
  readonly notSearched: string
}

export const isErasable = ({ events, isErased }: FoundIn): boolean => events > 0 && !isErased

export type FoundBy = {
  readonly contract: string
  readonly field: string
  /** Whether the field is not the key field. The key field then names a device or a session. */
  readonly isBesideKey: boolean
  readonly events: number
  readonly firstAt: string
  readonly lastAt: string
}

const everyMs = 300

/**
 * Searches all streams, and resolves once the search is done.
 * @throws Refused when the search was refused or has failed
 */
export async function searchPerson(
  { auth }: Calls,
  value: string,
  onProgress: (search: Search) => void = () => {},
): Promise<Search> {
  const id = textOf(objectOf(await auth('POST', '/v2/people/search', { value }))['searchId'])
  for (;;) {
    const search = searchOf(id, objectOf(await auth('GET', `/v2/people/searches/${id}`)))
    onProgress(search)
    if (search.isDone) return search
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}

function searchOf(id: string, found: Json): Search {
  const state = textOf(found['state'])
  if (state === 'failed') throw new Refused(0, [textOf(found['because'])])
  return {
    id,
    startedAt: textOf(found['startedAt']),
    isDone: state === 'done',
    scanned: numberOf(found['scanned']),
    total: numberOf(found['total']),
    streams: listOf(found['streams']).map(objectOf).map(foundIn),
  }
}

function foundIn(stream: Json): FoundIn {
  const by = listOf(stream['by']).map(objectOf).map(foundBy)
  return {
    stream: textOf(stream['stream']),
    events: by.reduce((sum, { events }) => sum + events, 0),
    by,
    held: listOf(stream['held']).map(objectOf).map(heldOf),
    consent: listOf(stream['consent'])
      .map(objectOf)
      .map(({ level, events }) => ({ level: numberOf(level), events: numberOf(events) })),
    isErased: stream['erased'] === true,
    withdrawn: numbersOf(stream['withdrawn']),
    isWaiting: stream['notApplied'] === true,
    notSearched: textOf(stream['notSearched']),
  }
}

const foundBy = (by: Json): FoundBy => ({
  contract: textOf(by['contract']),
  field: textOf(by['field']),
  isBesideKey: by['as'] === 'data_subject_field',
  events: numberOf(by['events']),
  firstAt: textOf(by['firstAt']),
  lastAt: textOf(by['lastAt']),
})

const kinds = ['output', 'dead', 'deleted'] as const

const fieldOf = ({ contract, field, level }: Json): PersonalField => ({
  contract: textOf(contract),
  path: textOf(field),
  level: numberOf(level),
})

const heldOf = (held: Json): Held => ({
  name: textOf(held['name']),
  kind: kinds.find((kind) => kind === held['kind']) ?? 'input',
  events: numberOf(held['events']),
  erased: numberOf(held['erased']),
  fields: listOf(held['fields']).map(objectOf).map(fieldOf),
  until: textOf(held['until']),
  because: textOf(held['because']),
})

export type EventsFormat = 'csv' | 'ndjson'

export type WantedEvents = {
  readonly stream: string
  readonly searchId: string
  readonly format: EventsFormat
  readonly naming: Naming
}

const withoutOf = {
  anybody: '',
  'not others': '&without=other',
  'the person': '&without=other,linked,encrypted',
} as const satisfies Record<Naming, string>

/**
 * Downloads the events that a search found in a stream, decrypted.
 * @throws Refused with status 413 beyond `bytesMax`
 */
export async function eventsOf(
  { auth, download }: Calls,
  { stream, searchId, format, naming }: WantedEvents,
  bytesMax?: number,
): Promise<Blob> {
  const path = `/v2/streams/${stream}/subject-access`
  const granted = objectOf(await auth('POST', path, { searchId }))
  const query = `format=${format}${withoutOf[naming]}`
  return download(`${path}?${query}`, textOf(granted['accessToken']), bytesMax)
}
