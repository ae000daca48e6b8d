// From a checked event to a record that Kafka has acknowledged: seal, stamp, encode, produce. One
// reading of the clock gives the timestamp in the event, the record's and the epoch of the keys.
import { randomInt } from 'node:crypto'
import { timeOf } from '@weir/fieldcrypt'
import type { Sealer } from '@weir/fieldcrypt'
import { frame, partitionOf } from '@weir/kafka'
import type { BatchProducer } from '@weir/kafka'
import { topicOf } from '@weir/streams'
import type { InputStream, Keyring, StateFollower } from '@weir/streams'
import { refusal } from './errors.ts'
import type { CheckedEvent } from './ingest.ts'

const hourMs = 3_600_000
/** What a topic takes (docs/architecture.md, What we ask of Kafka), less some room for the framing. */
const recordBytesMax = 4_194_304 - 4_096

export function createStore(deps: {
  follower: Pick<StateFollower, 'lookAgain'> & { keyring: Pick<Keyring, 'eraKeys'> }
  sealer: Pick<Sealer, 'person' | 'seal'>
  producer: Pick<BatchProducer, 'send'>
}) {
  const { follower, sealer, producer } = deps

  const heldKeys = (stream: InputStream, era: number, levels: readonly number[]) => {
    const keys = follower.keyring.eraKeys(stream.billingId, stream.streamId, era)
    const isWhole = keys?.link !== undefined && levels.every((level) => keys.levelKey(level))
    return isWhole ? keys : undefined
  }

  /** A stream or contract that is seen already may be newer than the keys that were made for it. */
  const lookForKeys = async (stream: InputStream, era: number, levels: readonly number[]) => {
    await follower.lookAgain()
    const keys = heldKeys(stream, era, levels)
    if (keys === undefined)
      throw refusal(
        'unavailable',
        `The keys of the stream ${stream.name} are not there yet; try again`,
      )
    return keys
  }

  return async ({ stream, active, event, key }: CheckedEvent, nowMs: number): Promise<void> => {
    const { contract, registryId } = active
    const time = timeOf(nowMs, stream.rotationHours * hourMs)
    const keys =
      heldKeys(stream, time.era, contract.levels) ??
      (await lookForKeys(stream, time.era, contract.levels))
    const person = sealer.person(keys, key, time)
    let sealedBytes = 0
    contract.mapPii(event, (text, path, level) => {
      const sealed = sealer.seal(person, level, path, text)
      sealedBytes += sealed.length
      if (sealedBytes > recordBytesMax)
        throw refusal('too_large', 'The event is too large for Kafka once its fields are sealed')
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
    await producer.send(topicOf(stream), partitionOf(person.uuid, stream.partitions), {
      key: person.uuid,
      value: frame(registryId, contract.encode(event)),
      headers: { 'svc-schema-id': contract.id, 'svc-key-link': person.keyLink },
      timestampMs: nowMs,
    })
  }
}

/** Random, over the whole of int32 (docs/wire-format.md Ingest). */
const newNonce = (): number => randomInt(-(2 ** 31), 2 ** 31)
