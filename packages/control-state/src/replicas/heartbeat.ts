// Writes a replica's heartbeat every second, as a record under the replica's id. A heartbeat that could not be written
// is dropped, because the next one has newer figures.
import { createBatchProducer } from '@weir/kafka'
import type { Kafka } from '@weir/kafka'
import { delay } from '@weir/kit'
import type { HeldKeks } from '../kek/kek-place.ts'
import type { StateFollower } from '../tables/follow.ts'
import type { UnwrappedKeys } from '../keyring/unwrapped-keys.ts'
import { heartbeatValue, replicasTopic } from './replicas.ts'
import type { Heartbeat, StreamDemand } from './replicas.ts'

export type Heart = {
  /** Resolves when the first heartbeat is written. */
  readonly begun: Promise<void>
  /** Writes the last heartbeat. After it, the other replicas no longer count this replica. */
  stop(): Promise<void>
}

const everyMs = 1_000
const produceTimeoutMs = 1_000
const inFlightBytesMax = 8_388_608

type HeartOptions = {
  readonly kafka: Kafka
  readonly follower: Pick<StateFollower, 'positions'> & {
    readonly wrappingKeys: Pick<UnwrappedKeys, 'pending'>
  }
  readonly kek: HeldKeks
  readonly replica: string
  readonly service: Heartbeat['service']
  readonly now: () => number
  /** `performance.now` by default. */
  readonly monotonic?: () => number
  /** Returns the demand by streamId since the last call. */
  readonly takeDemand?: () => Record<string, StreamDemand>
  /** Returns the decrypterNames whose streams the replica is now ready to derive; undefined if there are none. */
  readonly derives?: () => readonly string[] | undefined
}

export function startHeartbeats(options: HeartOptions): Heart {
  const { kafka, replica, now, monotonic = () => performance.now() } = options
  const producer = createBatchProducer(kafka, { produceTimeoutMs, inFlightBytesMax })
  const stopping = new AbortController()
  let lastMs = now()
  const keksSeen = lastSeen(() => options.kek.held())

  const begun = Promise.withResolvers<void>()

  const beat = (standing: Standing): Promise<void> => {
    const timestampMs = now()
    const spanMs = Math.max(1, timestampMs - lastMs)
    lastMs = timestampMs
    const keks = keksSeen()
    const sent = { sentMs: timestampMs, uptimeMs: Math.floor(monotonic()), spanMs }
    const value = heartbeatValue({
      ...progressOf(options),
      ...sent,
      ...(keks === undefined ? {} : { keks }),
      ...standing,
    })
    const record = { key: replica, value, headers: {}, timestampMs }
    return producer.send(replicasTopic, 0, record).then(begun.resolve, () => undefined)
  }

  const keepBeating = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const pause = delay(everyMs, stopping.signal).catch(() => undefined)
      await Promise.all([beat(readinessOf(options)), pause])
    }
  }

  const beating = keepBeating()
  return {
    begun: begun.promise,
    async stop() {
      stopping.abort()
      await beating
      await beat({ leaving: true })
      await producer.close()
    },
  }
}

/**
 * Each call starts `look` again, unless it still runs, and returns the last result: undefined if `look` failed. So a
 * file system that doesn't respond can't delay heartbeats.
 */
function lastSeen<Seen>(look: () => Promise<Seen>): () => Seen | undefined {
  let seen: Seen | undefined
  let isLooking = false
  return () => {
    if (isLooking) return seen
    isLooking = true
    void look()
      .then(
        (now) => (seen = now),
        () => (seen = undefined),
      )
      .finally(() => (isLooking = false))
    return seen
  }
}

type Standing = Pick<Heartbeat, 'derives' | 'leaving'>

function readinessOf({ derives }: HeartOptions): Standing {
  const names = derives?.()
  return names === undefined ? {} : { derives: names }
}

function progressOf(options: HeartOptions): Omit<Heartbeat, 'sentMs' | 'uptimeMs' | 'spanMs'> {
  const { follower, service, takeDemand = () => ({}) } = options
  const { control, keys } = follower.positions()
  const sealedRings = follower.wrappingKeys.pending().length
  return {
    service,
    control: control.toString(),
    keys: keys.toString(),
    streams: takeDemand(),
    ...(sealedRings === 0 ? {} : { sealedRings }),
  }
}
