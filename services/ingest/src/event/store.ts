// From a checked event to a record that Kafka has acknowledged: encrypt, stamp, encode, produce. One reading of the
// clock gives the timestamp of the event and of the record, and the epoch of the keys.
import { randomInt } from 'node:crypto'
import { keyTimeOf } from '@weir/fieldcrypt'
import type { EraKeys, KeyTime, Sealer } from '@weir/fieldcrypt'
import { partitionOf } from '@weir/kafka'
import type { BatchProducer, ProduceRecord, Waiter } from '@weir/kafka'
import { withTimeout } from '@weir/kit'
import { topicOf } from '@weir/control-state'
import type {
  InputStream,
  Keyring,
  UnwrappedKeys,
  StateFollower,
  Tables,
} from '@weir/control-state'
import { refusal } from '../errors.ts'
import type { CheckedEvent } from './check-event.ts'
import type { Subjects } from './subjects.ts'

const hourMs = 3_600_000
const settleMs = 1_000
/** The record size that a topic accepts (docs/architecture.md, What we ask of Kafka), minus room for the framing. */
const recordBytesMax = 4_194_304 - 4_096

/**
 * Encrypts the event's personal fields in place, stamps the event and passes it to Kafka. The waiter is called once,
 * with the outcome. The order is kept if each call waits for the promise of the previous call. If it throws, the event
 * was not sent. The record gets the traceparent, if any, as a header.
 */
export type Store = (
  checked: CheckedEvent,
  nowMs: number,
  waiter: Waiter,
  traceparent?: string,
) => void | Promise<void>

type SealingDeps = {
  follower: Pick<StateFollower, 'refresh'> & {
    keyring: Pick<Keyring, 'eraKeys'>
    wrappingKeys: Pick<UnwrappedKeys, 'settled'>
    tables: Pick<Tables, 'streamById'>
  }
  sealer: Pick<Sealer, 'person' | 'seal'>
  subjects: Subjects
}

export function createStore(deps: SealingDeps & { producer: Pick<BatchProducer, 'post'> }) {
  const seal = createSealing(deps)
  /** Needed because the stream may be deleted by now, and its name may belong to another stream. */
  const demandStream = ({ streamId, name }: InputStream): void => {
    if (deps.follower.tables.streamById(streamId)?.state !== 'ready')
      throw refusal('unavailable', `The stream ${name} is deleted, or is being deleted`)
  }
  const post = (sealed: SealedEvent, waiter: Waiter, traceparent?: string): void => {
    const { record } = sealed
    const sent = traceparent === undefined ? record : withHeader(record, { traceparent })
    deps.producer.post(sealed, sent, waiter)
  }
  const store: Store = (checked, nowMs, waiter, traceparent) => {
    const postKept = (sealed: SealedEvent): void | Promise<void> => {
      if (sealed.subjectKept === undefined) return post(sealed, waiter, traceparent)
      return sealed.subjectKept.then(() => {
        demandStream(checked.stream)
        post(sealed, waiter, traceparent)
      })
    }
    const sealing = seal(checked, nowMs)
    return sealing instanceof Promise ? sealing.then(postKept) : postKept(sealing)
  }
  return store
}

const withHeader = (
  record: ProduceRecord,
  header: Readonly<Record<string, string>>,
): ProduceRecord => ({ ...record, headers: { ...record.headers, ...header } })

type SealedEvent = {
  readonly topic: string
  readonly partition: number
  readonly record: ProduceRecord
  /** The event is sent after this, because before this it could not be erased with its data subject. */
  readonly subjectKept: Promise<void> | undefined
}

function createSealing({ follower, sealer, subjects }: SealingDeps) {
  const topics = new WeakMap<InputStream, string>()
  const topicFor = (stream: InputStream): string => {
    const known = topics.get(stream)
    if (known !== undefined) return known
    const topic = topicOf(stream)
    topics.set(stream, topic)
    return topic
  }

  const heldKeys = (stream: InputStream, era: number, levels: readonly number[]) => {
    const keys = follower.keyring.eraKeys(stream.billingId, stream.streamId, era)
    if (keys?.link === undefined) return undefined
    for (const level of levels) if (keys.levelKey(level) === undefined) return undefined
    return keys
  }

  /** Control state may contain a stream or contract whose keys have not been read yet. */
  const lookForKeys = async (stream: InputStream, era: number, levels: readonly number[]) => {
    await follower.refresh()
    // The new keys may need a new wrapping key, which is unwrapped asynchronously.
    const settling = follower.wrappingKeys.settled()
    await withTimeout(settling, settleMs, 'unwrapping the wrapping keys').catch(() => {})
    const keys = heldKeys(stream, era, levels)
    if (keys === undefined)
      throw refusal(
        'unavailable',
        `The keys of the stream ${stream.name} do not exist yet; try again`,
      )
    return keys
  }

  const seal = (
    { stream, active, event, key, bytes }: CheckedEvent,
    nowMs: number,
    { time, keys }: { time: KeyTime; keys: EraKeys },
  ): SealedEvent => {
    const { contract } = active
    const person = sealer.person(keys, key, time)
    // Read before the fields are encrypted.
    const subject = active.hasSubjects ? contract.dataSubjectOf(event) : undefined
    let sealedBytes = 0
    contract.mapPii(event, (text, path, level) => {
      const sealed = sealer.seal(person, level, path, text)
      sealedBytes += sealed.length
      if (sealedBytes > recordBytesMax)
        throw refusal('too_large', 'The event is too large for Kafka once its fields are encrypted')
      return sealed
    })
    contract.stamp(event, {
      schemaId: contract.id,
      nonce: newNonce(),
      timestampMs: nowMs,
      keyLinkUuid: person.uuid,
      keyLinkInt: person.int,
      billingId: stream.billingId,
    })
    const value = contract.encode(event, active.frameHead)
    return {
      topic: topicFor(stream),
      partition: partitionOf(person.uuid, stream.partitions),
      record: {
        key: person.uuid,
        value,
        headers: { 'svc-schema-id': contract.id, 'svc-key-link': person.keyLink },
        timestampMs: nowMs,
      },
      subjectKept:
        subject === undefined ? undefined : subjects.keep({ subject, person, keys, bytes }),
    }
  }

  /** Synchronous, unless control state must be refreshed to find the keys. */
  return (checked: CheckedEvent, nowMs: number): SealedEvent | Promise<SealedEvent> => {
    const { stream, active } = checked
    const { levels } = active.contract
    const time = keyTimeOf(nowMs, stream.rotationHours * hourMs)
    const keys = heldKeys(stream, time.era, levels)
    if (keys !== undefined) return seal(checked, nowMs, { time, keys })
    return lookForKeys(stream, time.era, levels).then((found) =>
      seal(checked, nowMs, { time, keys: found }),
    )
  }
}

/** Random, over the whole of int32 (docs/wire-format.md Ingest). */
const newNonce = (): number => randomInt(-(2 ** 31), 2 ** 31)
