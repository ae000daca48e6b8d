// Records which links a data subject has (docs/keys.md, Data subjects), for contracts with a data subject field. The
// record must be durable before the event is sent: otherwise an erasure of the subject could not find the event. A
// bounded cache remembers recently written links; other links are written again, which is harmless. The number of links
// per subject is limited, because an erasure removes each link from the keys.
import type { EraKeys, Person } from '@weir/fieldcrypt'
import type { BatchProducer } from '@weir/kafka'
import { hasCode } from '@weir/kit'
import {
  subjectLinkValue,
  subjectPartitionOf,
  subjectPrefix,
  subjectsTopic,
} from '@weir/control-state'
import { refusal } from '../errors.ts'

export type SubjectOfEvent = {
  readonly subject: string
  readonly person: Person
  readonly keys: EraKeys
  /** The size of the event that waits. */
  readonly bytes: number
}

export type Subjects = {
  /**
   * Resolves when the link is durable. Returns undefined if the link is already known to be durable.
   * @throws AppError `unavailable`, or `subject_links_exceeded` if the subject already has `linksMax` links
   */
  keep(subject: SubjectOfEvent): Promise<void> | undefined
}

const notKept =
  'Not stored: Kafka did not acknowledge the index of data subjects; send the event again'
/** The maximum number of cached links, of about 0.2 kB each. */
const keptMax = 50_000
/** A longer subject is not kept as a person's last subject, so its link is looked up for each event. */
const rememberedMax = 63

type SubjectsDeps = {
  producer: Pick<BatchProducer, 'send'>
  /** The maximum total size of the events that wait here. Further events are refused. */
  waitingBytesMax: number
  /** The maximum number of links of a subject in a term, as far as this replica remembers. */
  linksMax: number
  keptMax?: number
}

type State = SubjectsDeps & {
  /** The links that are stored or being written. */
  readonly recent: RecentLinks
  /** The writes in progress. */
  readonly writes: Map<string, Promise<void>>
  /** The last subject of each person. For most events, a comparison with this subject is enough. */
  readonly lastOf: WeakMap<Person, string>
  waitingBytes: number
}

export function createSubjects(deps: SubjectsDeps): Subjects {
  const recent = createRecentLinks(deps.keptMax ?? keptMax)
  const state: State = {
    ...deps,
    recent,
    writes: new Map(),
    lastOf: new WeakMap(),
    waitingBytes: 0,
  }
  return { keep: (subject) => keep(state, subject) }
}

function keep(state: State, { subject, person, keys, bytes }: SubjectOfEvent) {
  if (state.lastOf.get(person) === subject) return undefined
  const linkKeys = keys.link
  if (linkKeys === undefined)
    throw refusal('unavailable', 'The keys of the stream are not available yet; try again')
  const hash = linkKeys.subjectHash(subject)
  const prefix = subjectPrefix(keys, hash)
  const link = linkKeys.sealLink(person.link).toString('hex')
  const writing = state.writes.get(prefix + link)
  if (writing === undefined && state.recent.has(prefix, link)) {
    state.recent.add(prefix, link)
    remember(state, person, subject)
    return undefined
  }
  if (state.waitingBytes + bytes > state.waitingBytesMax)
    throw refusal('unavailable', 'Too many events wait for Kafka; try again')
  const written = writing ?? write(state, prefix, link, subjectPartitionOf(hash))
  state.waitingBytes += bytes
  return written
    .then(() => remember(state, person, subject))
    .finally(() => void (state.waitingBytes -= bytes))
}

function remember({ lastOf }: State, person: Person, subject: string): void {
  if (subject.length <= rememberedMax) lastOf.set(person, subject)
}

/** Concurrent events with the same link share one write. */
function write(state: State, subject: string, link: string, partition: number): Promise<void> {
  const { producer, recent, writes, linksMax } = state
  if (recent.count(subject) >= linksMax) throw tooManyLinks(linksMax)
  recent.add(subject, link)
  const key = subject + link
  const record = { key, value: subjectLinkValue, headers: {}, timestampMs: Date.now() }
  const writing = producer
    .send(subjectsTopic, partition, record)
    .catch((error: unknown) => {
      recent.forget(subject, link)
      // The event itself was certainly not sent, even if the outcome of this record is unknown.
      throw hasCode(error, 'kafka.outcome_unknown') ? refusal('unavailable', notKept, error) : error
    })
    .finally(() => writes.delete(key))
  writes.set(key, writing)
  return writing
}

const tooManyLinks = (linksMax: number) =>
  refusal(
    'subject_links_exceeded',
    `Not stored: the data subject of this event already has ${linksMax} pseudonyms in this term of 384 days, which is the maximum ` +
      '(SUBJECT_LINKS_MAX). Each value of the key field is a pseudonym: check that the data subject field identifies one person, ' +
      'and that the key field does not get a new value with every event',
  )

type RecentLinks = ReturnType<typeof createRecentLinks>

/** A cache of links by subject. Above `max` links, it removes the least recently used subject with all of its links. */
function createRecentLinks(max: number) {
  const subjects = new Map<string, Set<string>>()
  let size = 0
  return {
    has: (subject: string, link: string): boolean => subjects.get(subject)?.has(link) ?? false,
    count: (subject: string): number => subjects.get(subject)?.size ?? 0,
    add(subject: string, link: string): void {
      const links = subjects.get(subject) ?? new Set()
      size -= links.size
      links.add(link)
      size += links.size
      subjects.delete(subject)
      subjects.set(subject, links)
      for (const [oldest, { size: less }] of subjects) {
        if (size <= max || oldest === subject) return
        subjects.delete(oldest)
        size -= less
      }
    },
    forget(subject: string, link: string): void {
      const links = subjects.get(subject)
      if (links?.delete(link)) size -= 1
      if (links?.size === 0) subjects.delete(subject)
    },
  }
}
