// A replica's heartbeat: every second a record under its id that says what was asked of it and how far it has
// followed control state. One that can't be written is left out: the next one says what is so by then.
import { createBatchProducer } from '@weir/kafka'
import type { Kafka } from '@weir/kafka'
import { delay } from '@weir/kit'
import type { StateFollower } from '../tables/follow.ts'
import type { Rings } from '../keyring/rings.ts'
import { heartbeatValue, replicasTopic } from './replicas.ts'
import type { Heartbeat, StreamDemand } from './replicas.ts'

export type Heart = {
  /** Resolves when the first heartbeat is written. */
  readonly begun: Promise<void>
  /** The last heartbeat, after which the others count this replica out. */
  stop(): Promise<void>
}

const everyMs = 1_000
const produceTimeoutMs = 1_000
const inFlightBytesMax = 8_388_608

type HeartOptions = {
  readonly kafka: Kafka
  readonly follower: Pick<StateFollower, 'positions'> & {
    readonly rings: Pick<Rings, 'pending'>
  }
  readonly replica: string
  readonly service: Heartbeat['service']
  readonly now: () => number
  /** What was asked of it since the last call. */
  readonly takeDemand?: () => Record<string, StreamDemand>
}

export function startHeartbeats(options: HeartOptions): Heart {
  const { kafka, replica, now } = options
  const producer = createBatchProducer(kafka, { produceTimeoutMs, inFlightBytesMax })
  const stopping = new AbortController()
  let lastMs = now()

  const begun = Promise.withResolvers<void>()

  const beat = (more: Pick<Heartbeat, 'leaving'> = {}): Promise<void> => {
    const timestampMs = now()
    const spanMs = Math.max(1, timestampMs - lastMs)
    lastMs = timestampMs
    const value = heartbeatValue({ ...heartbeatOf(options, spanMs), ...more })
    const record = { key: replica, value, headers: {}, timestampMs }
    return producer.send(replicasTopic, 0, record).then(begun.resolve, () => undefined)
  }

  const keepBeating = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const pause = delay(everyMs, stopping.signal).catch(() => undefined)
      await Promise.all([beat(), pause])
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

function heartbeatOf(options: HeartOptions, spanMs: number): Heartbeat {
  const { follower, service, takeDemand = () => ({}) } = options
  const { control, keys } = follower.positions()
  const sealedRings = follower.rings.pending().length
  return {
    service,
    spanMs,
    control: control.toString(),
    keys: keys.toString(),
    streams: takeDemand(),
    ...(sealedRings === 0 ? {} : { sealedRings }),
  }
}
