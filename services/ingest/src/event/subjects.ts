// Keeps track of which links a data subject has (docs/keys.md, Data subjects), for contracts that name one. The record
// is durable before the event is sent: an event that can't be found by its subject could not be erased by it. What was
// written lately is remembered, within a bound; the rest is written again, which changes nothing. A subject may have so many
// links and no more: each is cut out of the keys when the subject is erased.
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
  /** Of the event, which waits. */
  readonly bytes: number
}

export type Subjects = {
  /**
   * Undefined when it is known to be durable already. @throws AppError `unavailable`, or `subject_links_exceeded` when it would
   * be one link too many
   */
  keep(subject: SubjectOfEvent): Promise<void> | undefined
}

const notKept =
  'Not stored: Kafka did not acknowledge the index of data subjects; send the event again'
/** About 0.2 kB each. */
const keptMax = 50_000
/** Longer ones are looked up each time, as values of fields are. */
const rememberedMax = 63

export function createSubjects(deps: {
  producer: Pick<BatchProducer, 'send'>
  /** Of the events that wait here; beyond it they are refused. */
  waitingBytesMax: number
  /** Of a subject in an era, as far as this replica remembers. */
  linksMax: number
  keptMax?: number
}): Subjects {
  const { producer, linksMax } = deps
  /** Those that are written, and those that are being written. */
  const recent = createRecentLinks(deps.keptMax ?? keptMax)
  const underWay = new Map<string, Promise<void>>()
  /** Whose event it was last: most events need no more than this comparison. */
  const lastOf = new WeakMap<Person, string>()
  let waitingBytes = 0

  const remember = (person: Person, subject: string): void => {
    if (subject.length <= rememberedMax) lastOf.set(person, subject)
  }

  const write = async (subject: string, link: string, partition: number): Promise<void> => {
    const key = subject + link
    try {
      const record = { key, value: subjectLinkValue, headers: {}, timestampMs: Date.now() }
      await producer.send(subjectsTopic, partition, record)
    } catch (error) {
      recent.forget(subject, link)
      // The event itself wasn't sent: that is certain, whatever came of this record.
      throw hasCode(error, 'kafka.outcome_unknown') ? refusal('unavailable', notKept, error) : error
    } finally {
      underWay.delete(key)
    }
  }

  return {
    keep({ subject, person, keys, bytes }) {
      if (lastOf.get(person) === subject) return undefined
      const linkKeys = keys.link
      if (linkKeys === undefined)
        throw refusal('unavailable', 'The keys of the stream are not available yet; try again')
      const hash = linkKeys.subjectHash(subject)
      const prefix = subjectPrefix(keys, hash)
      const link = linkKeys.sealLink(person.link).toString('hex')
      let writing = underWay.get(prefix + link)
      if (writing === undefined && recent.has(prefix, link)) {
        recent.add(prefix, link)
        remember(person, subject)
        return undefined
      }
      if (waitingBytes + bytes > deps.waitingBytesMax)
        throw refusal('unavailable', 'Too many events wait for Kafka; try again')
      if (writing === undefined) {
        if (recent.count(prefix) >= linksMax) throw tooManyLinks(linksMax)
        recent.add(prefix, link)
        writing = write(prefix, link, subjectPartitionOf(hash))
        underWay.set(prefix + link, writing)
      }
      waitingBytes += bytes
      return writing
        .then(() => remember(person, subject))
        .finally(() => void (waitingBytes -= bytes))
    },
  }
}

const tooManyLinks = (linksMax: number) =>
  refusal(
    'subject_links_exceeded',
    `Not stored: the data subject of this event already has ${linksMax} pseudonyms in this era, which is the maximum ` +
      '(SUBJECT_LINKS_MAX). Each value of the key field is a pseudonym: check that the data subject field identifies one person, ' +
      'and that the key field does not get a new value with every event',
  )

/**
 * The links that were used lately, by subject. Beyond `max` the subject that was used longest ago goes, with all of its links: so
 * what is counted of one is never counted twice.
 */
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
