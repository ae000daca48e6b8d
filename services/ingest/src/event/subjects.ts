// Keeps track of which links a data subject has (docs/keys.md, Data subjects), for contracts that name one. The record
// is durable before the event is sent: an event that can't be found by its subject could not be erased by it. What was
// written lately is remembered, within a bound; the rest is written again, which changes nothing.
import type { EraKeys, Person } from '@weir/fieldcrypt'
import type { BatchProducer } from '@weir/kafka'
import { hasCode } from '@weir/kit'
import {
  subjectKeyOf,
  subjectLinkValue,
  subjectPartitionOf,
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
  /** Undefined when it is known to be durable already. @throws AppError `unavailable` */
  keep(subject: SubjectOfEvent): Promise<void> | undefined
}

const notKept =
  'Not stored: Kafka did not acknowledge the index of data subjects; send the event again'
/** About 0.3 kB each. */
const keptMax = 50_000
/** Longer ones are looked up each time, as values of fields are. */
const rememberedMax = 63

export function createSubjects(deps: {
  producer: Pick<BatchProducer, 'send'>
  /** Of the events that wait here; beyond it they are refused. */
  waitingBytesMax: number
  keptMax?: number
}): Subjects {
  const { producer } = deps
  const durable = createRecent(deps.keptMax ?? keptMax)
  const underWay = new Map<string, Promise<void>>()
  /** Whose event it was last: most events need no more than this comparison. */
  const lastOf = new WeakMap<Person, string>()
  let waitingBytes = 0

  const remember = (person: Person, subject: string): void => {
    if (subject.length <= rememberedMax) lastOf.set(person, subject)
  }

  const write = async (key: string, partition: number): Promise<void> => {
    try {
      const record = { key, value: subjectLinkValue, headers: {}, timestampMs: Date.now() }
      await producer.send(subjectsTopic, partition, record)
      durable.add(key)
    } catch (error) {
      // The event itself wasn't sent: that is certain, whatever came of this record.
      throw hasCode(error, 'kafka.outcome_unknown') ? refusal('unavailable', notKept, error) : error
    } finally {
      underWay.delete(key)
    }
  }

  return {
    keep({ subject, person, keys, bytes }) {
      if (lastOf.get(person) === subject) return undefined
      const { link } = keys
      if (link === undefined)
        throw refusal('unavailable', 'The keys of the stream are not available yet; try again')
      const hash = link.subjectHash(subject)
      const key = subjectKeyOf(keys, hash, link.sealLink(person.link))
      if (durable.has(key)) {
        remember(person, subject)
        return undefined
      }
      if (waitingBytes + bytes > deps.waitingBytesMax)
        throw refusal('unavailable', 'Too many events wait for Kafka; try again')
      const writing = underWay.get(key) ?? write(key, subjectPartitionOf(hash))
      underWay.set(key, writing)
      waitingBytes += bytes
      return writing
        .then(() => remember(person, subject))
        .finally(() => void (waitingBytes -= bytes))
    },
  }
}

/** A set that forgets what was used longest ago. */
function createRecent(max: number) {
  const keys = new Set<string>()
  const add = (key: string): void => {
    keys.delete(key)
    keys.add(key)
    const [oldest] = keys
    if (keys.size > max && oldest !== undefined) keys.delete(oldest)
  }
  return {
    add,
    has(key: string): boolean {
      const isThere = keys.has(key)
      if (isThere) add(key)
      return isThere
    },
  }
}
