// Explains what a receipt says and doesn't say, in sentences for people who don't know Weir. Uses only the receipt's
// claims, so that no sentence says more than what was signed.
import type { ReceiptClaims } from './verify-receipt.ts'

export type InWords = Record<'says' | 'doesNotSay', readonly string[]> & { readonly title: string }

/** Accepts claims of any form. A missing or unknown claim gets no sentence of its own. */
export function inWords(claims: ReceiptClaims): InWords {
  const levels = listOf(claims['levels'])
  const { searched, covered } = contractsIn(claims)
  return {
    title: titleOf(claims),
    says: [
      ...signerOf(claims),
      requestOf(claims),
      foundOf(objectOf(claims['found'])),
      `Since ${timeOf(claims['appliedAt'])}, no program of Weir decrypts ${whatOf(levels)} in events that were stored before and have ${valueOf(claims)} in ${namingOf(searched)}.${linkedOf(claims)}${othersCovered(covered)}`,
      `Since ${timeOf(claims['completeAt'])}, the request is complete: Weir's log of keys no longer contains the keys for this. To check that, Weir read the whole log again.`,
      ...destroyedOf(claims),
      ...objectsOf(claims['outputs']).map((output) => outputOf(output, claims)),
      ...objectsOf(claims['readers']).map((output) => readersOf(output, claims)),
      ...referenceOf(claims['reference']),
      `The id of the request is ${textOf(claims['jti'])}.`,
    ],
    doesNotSay: [
      'That anybody else has checked this: it is a statement of the organization that runs this Weir, about its own systems. The signature proves who made it, and that nobody changed it.',
      ...(textOf(claims['destroyedAt']) === ''
        ? [
            'Whether somebody still has a copy of the old keys, such as a backup, and the master keys that open it.',
          ]
        : []),
      'What became of data that somebody copied or exported before, or that readers of an output decrypted and stored before.',
      'Anything about other streams, or about events that were sent later.',
      ...objectsOf(claims['erasuresLost']).map(lostIn),
      ...incompleteOf(claims['incompleteSince']),
      ...othersOf(claims),
      'Anything about events that name the person only in other fields: they are not covered.',
      ...(listOf(claims['outputs']).every((output) => 'events' in objectOf(output))
        ? []
        : ['Which of these outputs got events of the person: it names every output that could.']),
      levels.length === 0
        ? 'That the events are gone: they stay until their retention ends, with their fields that are not personal, and with a code that Weir computes with a secret key from the value of their key field.'
        : 'That the events are gone: they stay until their retention ends, with the fields of other levels, which can still be decrypted.',
    ],
  }
}

function titleOf(claims: ReceiptClaims): string {
  const people = peopleOf(claims)
  if (listOf(claims['levels']).length > 0)
    return `Withdrawal of consent for level ${levelsOf(claims)} by ${people}`
  return isRecord(claims) ? `Record that nothing was found of ${people}` : `Erasure of ${people}`
}

/** Also says what Weir is, because readers may never have heard of it. */
function signerOf({ iss, billingId, iat }: ReceiptClaims): string[] {
  if (textOf(iss) === '') return []
  const day = typeof iat === 'number' ? ` on ${timeOf(new Date(iat * 1_000).toISOString())}` : ''
  return [
    `This receipt was signed${day} by Weir at ${textOf(iss)}, the software that receives and stores the events of the account ${textOf(billingId)}.`,
  ]
}

function requestOf(claims: ReceiptClaims): string {
  const [people, place] = [peopleOf(claims), placeOf(claims)]
  const start = `On ${timeOf(claims['acceptedAt'])}, Weir received the`
  if (listOf(claims['levels']).length > 0)
    return `${start} notice that ${people} had withdrawn their consent for level ${levelsOf(claims)} in ${place}.`
  if (isRecord(claims))
    return `${start} request to record that nothing was found of ${people} in ${place}. Such a request takes effect as an erasure.`
  return `${start} request to erase ${people} from ${place}.`
}

/** Returns levels with the titles that the account has given them: «2 (marketing e-mails)». */
function levelsOf({ levels, purposes }: ReceiptClaims): string {
  const titles = new Map(objectsOf(purposes).map(({ level, title }) => [level, textOf(title)]))
  const titled = (level: unknown): string => (titles.has(level) ? ` (${titles.get(level)})` : '')
  return listOf(levels)
    .map((level) => `${String(level)}${titled(level)}`)
    .join(', ')
}

/** Whether the search was complete, and found nothing in the stream and in its outputs. */
const isRecord = ({ found, outputs, readers }: ReceiptClaims): boolean =>
  [objectOf(found), ...objectsOf(outputs), ...objectsOf(readers)].every(
    ({ events, notSearched }) => Number(events ?? 0) === 0 && textOf(notSearched) === '',
  )

const placeOf = ({ stream, billingId }: ReceiptClaims): string =>
  `the stream ${textOf(stream)} of the account ${textOf(billingId)}`

function peopleOf(claims: ReceiptClaims): string {
  const count = listOf(claims['subjects']).length
  return count === 1 ? 'one person' : `${count} people`
}

const whatOf = (levels: readonly unknown[]): string =>
  levels.length === 0
    ? 'any personal field'
    : `a field of level ${levels.join(', ')}, or uses that consent,`

const fieldOf = (levels: readonly unknown[]): string =>
  levels.length === 0 ? 'personal field' : `field of level ${levels.join(', ')}`

const valueOf = ({ subjects }: ReceiptClaims): string =>
  listOf(subjects).length === 1
    ? 'the value that names the person'
    : 'a value that names one of these people'

/** If events were found, separates their contracts from other contracts, which readers may not know. */
function contractsIn({ contracts, found }: ReceiptClaims) {
  const all = objectsOf(contracts)
  const ids = new Set(listOf(objectOf(found)['by']).map((by) => objectOf(by)['contract']))
  const searched = all.filter(({ id }) => ids.has(id))
  return searched.length === 0
    ? { searched: all, covered: [] }
    : { searched, covered: all.filter(({ id }) => !ids.has(id)) }
}

/** Lists the fields that the erasure is about, with their contracts. Contracts often have the same field. */
function namingOf(contracts: readonly Json[]): string {
  const byField = Map.groupBy(contracts, ({ field }) => textOf(field))
  const fields = [...byField].map(
    ([field, of]) => `${field} (of ${of.map(({ id }) => textOf(id)).join(', ')})`,
  )
  return fields.length === 0 ? 'a field that names people' : fields.join(' or ')
}

/** Returns a sentence about contracts without found events. Their later events, until the request, are covered, too. */
const othersCovered = (contracts: readonly Json[]): string =>
  contracts.length === 0
    ? ''
    : ` The same would hold for ${namingOf(contracts)}, but no event had such a value there.`

/**
 * Whether the people were searched as data subjects. Then the erasure covers all events of their pseudonyms, such as
 * sessions.
 */
const isLinked = ({ as }: ReceiptClaims): boolean => listOf(as).includes('data_subject_field')

const linkedOf = (claims: ReceiptClaims): string =>
  isLinked(claims)
    ? ' The same holds for all earlier events of the same session, device or the like: those with the same value in the key field as one of these events.'
    : ''

const isAnythingFound = ({ found }: ReceiptClaims): boolean =>
  Number(objectOf(found)['events'] ?? 0) > 0

function foundOf(found: Json): string {
  const events = Number(found['events'] ?? 0)
  const why = textOf(found['notSearched'])
  const missing = why === '' ? '' : ` Not everything was searched: ${why}.`
  if (events === 0)
    return `Before that a search of the stream found 0 events of the person. Events that arrived between the search and the request are covered, too.${missing}`
  const by = objectsOf(found['by']).map(
    ({ events: count, contract, field, as }) =>
      `${String(count)} of ${textOf(contract)}, ${as === 'data_subject_field' ? `of the same session, device or the like as an event where ${textOf(field)} names the person` : `where ${textOf(field)} names the person`}`,
  )
  return `Before that a search of the stream found ${eventsOf(events)}: ${by.join('; ')}.${missing}`
}

function destroyedOf({ destroyedAt }: ReceiptClaims): string[] {
  if (textOf(destroyedAt) === '') return []
  return [
    `Since ${timeOf(destroyedAt)}, the master keys of that time are destroyed, as far as Weir can know, so old copies of the keys are useless.`,
  ]
}

function outputOf(
  { name, tags, clearAt, because, events, foundLevels }: Json,
  claims: ReceiptClaims,
): string {
  const output = outputNamed(name, tags)
  const until =
    clearAt === 'unknown'
      ? `it is not known until when (${textOf(because)})`
      : `until ${timeOf(clearAt)}`
  const wasClear = Date.parse(textOf(clearAt)) <= Number(claims['iat']) * 1_000
  if (events !== undefined && listOf(foundLevels).length === 0) {
    const none = events === 0 ? '' : `, without a decrypted ${fieldOf(listOf(claims['levels']))}`
    return `The same search found ${eventsOf(Number(events))} in t${output.slice(1)}${none}. Values of events that came there after the search may ${wasClear ? 'have been' : 'be'} there: ${until}.`
  }
  const values =
    isAnythingFound(claims) || events !== undefined
      ? 'values that it decrypted before'
      : 'values of events that had left the stream before the search'
  return `${output} may ${wasClear ? 'have contained' : 'contain'} ${values}: ${until}.`
}

/** Describes an output whose readers decrypt. What they have stored decrypted is not known. */
function readersOf(
  { name, tags, levels, events, keyMaxAgeSeconds }: Json,
  { appliedAt }: ReceiptClaims,
): string {
  const found =
    typeof events === 'number'
      ? ` The same search found ${eventsOf(events)} in it.`
      : ' It was not searched.'
  const minutes = Math.ceil(Number(keyMaxAgeSeconds) / 60)
  return `${outputNamed(name, tags)} contains encrypted fields; its readers decrypt level ${listOf(levels).join(', ')} with keys that Weir lends them.${found} Weir gives them no key for this any more. They may use a key for at most ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}: for the last ones, this time had passed at ${timeOf(appliedAt)}.`
}

const outputNamed = (name: unknown, tags: unknown): string =>
  `The output ${textOf(name)}${listOf(tags).length === 0 ? '' : ` (${listOf(tags).join(', ')})`}`

function othersOf(claims: ReceiptClaims): string[] {
  const others = listOf(claims['otherContracts']).map(textOf).join(', ')
  if (others === '') return []
  return isLinked(claims)
    ? [
        `Anything about events of ${others} in this stream: this request did not look for the value in them. It covers only those of the same session, device or the like as an event of the person.`,
      ]
    : [
        `Anything about events of ${others} in this stream: this request did not look for the value in them.`,
      ]
}

const lostIn = ({ since, until }: Json): string =>
  `Anything about requests between ${timeOf(since)} and ${timeOf(until)}: Weir was restored from a backup, which may have undone these.`

const incompleteOf = (since: unknown): string[] =>
  textOf(since) === ''
    ? []
    : [
        `Whether all events of the person since ${timeOf(since)} were found: a restore of Weir has lost some of the links to them.`,
      ]

const referenceOf = (reference: unknown): string[] =>
  textOf(reference) === '' ? [] : [`Its reference is ${textOf(reference)}.`]

const eventsOf = (count: number): string => `${count} ${count === 1 ? 'event' : 'events'}`

type Json = Readonly<Record<string, unknown>>
const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
const objectsOf = (value: unknown): readonly Json[] => listOf(value).map(objectOf)
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const calendar = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})
function timeOf(iso: unknown): string {
  const ms = Date.parse(textOf(iso))
  return Number.isNaN(ms) ? 'a time that it does not name' : `${calendar.format(ms)} UTC`
}
