// Turns a checked event into a record that Kafka has acknowledged: encrypt, stamp, encode, produce. The timestamps of
// the event and of the record, and the epoch of the keys, come from the same reading of the clock.
import { randomFillSync } from 'node:crypto'
import { consentLevelsOf } from '@weir/contracts'
import { consentOf, keyTimeOf } from '@weir/fieldcrypt'
import type { EraKeys, KeyTime, Sealer } from '@weir/fieldcrypt'
import { partitionOf } from '@weir/kafka'
import type { BatchProducer, ProduceRecord, Waiter } from '@weir/kafka'
import { withTimeout } from '@weir/kit'
import { topicOf } from '@weir/control-state'
import type { InputStream, StateFollower } from '@weir/control-state'
import { refusal } from '../errors.ts'
import type { CheckedEvent } from './check-event.ts'
import type { Subjects } from './subjects.ts'

const hourMs = 3_600_000
const settleMs = 1_000
/** The record size that a topic accepts (docs/architecture.md, What we ask of Kafka), minus room for the framing. */
const recordBytesMax = 4_194_304 - 4_096

/**
 * Encrypts the event's personal fields in place, stamps the event and passes it to Kafka. Never throws: the waiter is
 * called once, with the outcome. To keep the order, a caller waits for each promise before the next call. A traceparent
 * becomes a header of the record.
 */
export type Store = (
  checked: CheckedEvent,
  nowMs: number,
  waiter: Waiter,
  traceparent?: string,
) => void | Promise<void>

type StoreDeps = {
  follower: Pick<StateFollower, 'refresh'> & {
    keyring: Pick<StateFollower['keyring'], 'eraKeys'>
    wrappingKeys: Pick<StateFollower['wrappingKeys'], 'settled'>
    tables: Pick<StateFollower['tables'], 'streamById'>
  }
  sealer: Pick<Sealer, 'person' | 'seal'>
  subjects: Subjects
  producer: Pick<BatchProducer, 'post'>
}

type SealedEvent = {
  readonly stream: InputStream
  readonly topic: string
  readonly partition: number
  readonly record: ProduceRecord
  /**
   * The event is sent only after this resolves. Before that, an erasure of the data subject would not find the event.
   */
  readonly subjectKept: Promise<void> | undefined
}

export function createStore(deps: StoreDeps): Store {
  return (checked, nowMs, waiter, traceparent) => {
    try {
      const sealing = seal(deps, checked, nowMs)
      const posting =
        sealing instanceof Promise
          ? sealing.then((sealed) => post(deps, sealed, waiter, traceparent))
          : post(deps, sealing, waiter, traceparent)
      return posting?.catch(waiter.reject)
    } catch (error) {
      return waiter.reject(error)
    }
  }
}

function post(
  { follower, producer }: StoreDeps,
  sealed: SealedEvent,
  waiter: Waiter,
  traceparent: string | undefined,
): void | Promise<void> {
  const { stream, record, subjectKept } = sealed
  const sent = traceparent === undefined ? record : traced(record, traceparent)
  if (subjectKept === undefined) return producer.post(sealed, sent, waiter)
  return subjectKept.then(() => {
    // The stream may have been deleted meanwhile, and another stream may have its name.
    if (follower.tables.streamById(stream.streamId)?.state !== 'ready')
      throw refusal('unavailable', `The stream ${stream.name} is deleted, or is being deleted`)
    producer.post(sealed, sent, waiter)
  })
}

const traced = (record: ProduceRecord, traceparent: string): ProduceRecord => ({
  ...record,
  headers: { ...record.headers, traceparent },
})

/** Returns the encrypted event, or a promise if control state must be refreshed to find the keys. */
function seal(deps: StoreDeps, checked: CheckedEvent, nowMs: number) {
  const time = keyTimeOf(nowMs, checked.stream.rotationHours * hourMs)
  const keys = heldKeys(deps, checked, time.era)
  if (keys === undefined) return sealLater(deps, checked, nowMs, time)
  return sealWith(deps, checked, nowMs, { time, keys })
}

function heldKeys({ follower }: StoreDeps, { stream, active }: CheckedEvent, era: number) {
  const keys = follower.keyring.eraKeys(stream.billingId, stream.streamId, era)
  if (keys?.link === undefined) return undefined
  for (const level of active.contract.levels)
    if (keys.levelKey(level) === undefined) return undefined
  return keys
}

/** Encrypts the event after a refresh, because keys of its stream or contract have not been read yet. */
async function sealLater(deps: StoreDeps, checked: CheckedEvent, nowMs: number, time: KeyTime) {
  const { follower } = deps
  await follower.refresh()
  // The new keys may need a new wrapping key, which is unwrapped asynchronously.
  const settling = follower.wrappingKeys.settled()
  await withTimeout(settling, settleMs, 'unwrapping the wrapping keys').catch(() => {})
  const keys = heldKeys(deps, checked, time.era)
  if (keys !== undefined) return sealWith(deps, checked, nowMs, { time, keys })
  const { name } = checked.stream
  throw refusal('unavailable', `The keys of the stream ${name} do not exist yet; try again`)
}

function sealWith(
  { sealer, subjects }: StoreDeps,
  { stream, active, event, key, bytes }: CheckedEvent,
  nowMs: number,
  { time, keys }: { time: KeyTime; keys: EraKeys },
): SealedEvent {
  const { contract } = active
  const person = sealer.person(keys, key, time)
  // Read before the fields are encrypted.
  const subject = active.hasSubjects ? contract.dataSubjectOf(event) : undefined
  const consent = consentOf(consentLevelsOf(event))
  let sealedBytes = 0
  contract.mapPii(event, (text, path, level) => {
    const sealed = sealer.seal(person, { consent, level, path }, text)
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
  const headers = { 'svc-schema-id': contract.id, 'svc-key-link': person.keyLink }
  return {
    stream,
    topic: topicFor(stream),
    partition: partitionOf(person.uuid, stream.partitions),
    record: { key: person.uuid, value, headers, timestampMs: nowMs },
    subjectKept:
      subject === undefined ? undefined : subjects.keep({ subject, person, keys, bytes }),
  }
}

const topics = new WeakMap<InputStream, string>()
function topicFor(stream: InputStream): string {
  const known = topics.get(stream)
  if (known !== undefined) return known
  const topic = topicOf(stream)
  topics.set(stream, topic)
  return topic
}

const nonces = new Int32Array(1_024)
let noncesUsed = nonces.length

/** Random, over the whole of int32 (docs/wire-format.md Ingest). Created in blocks, because a call for each is slow. */
function newNonce(): number {
  if (noncesUsed === nonces.length) {
    randomFillSync(nonces)
    noncesUsed = 0
  }
  return nonces[noncesUsed++] ?? 0
}
