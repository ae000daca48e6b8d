// The heartbeats in `weir.replicas`, one per second under the replica's id, and their table. From these heartbeats,
// replicas compute their share of limits and partitions, and auth finds out which replicas have read an erasure.
// Replicas' own clocks never decide which replicas are alive.

import { createForm, parserOf, storedAs, untyped } from '../forms/form.ts'
import { listOf, number, objectOf, oneOf, optional, tableOf, text } from '../forms/guards.ts'

export const replicasTopic = 'weir.replicas'

/** Events of one stream since the last heartbeat: `demanded` arrived, `taken` of them were within the rate. */
export type StreamDemand = readonly [demanded: number, taken: number]

export type Heartbeat = {
  readonly service: 'auth' | 'ingest' | 'output'
  /** The time of sending by the replica's own clock. Only the replica itself may compare it with other times. */
  readonly sentMs: number
  /** The time of sending by the replica's monotonic clock. */
  readonly uptimeMs: number
  /** The length of time that `streams` covers. */
  readonly spanMs: number
  /** The next offsets to read in `weir.control` and `weir.keys`, decimal. */
  readonly control: string
  readonly keys: string
  /** The demand by streamId, for streams with any demand. */
  readonly streams: Readonly<Record<string, StreamDemand>>
  /** The number of permitted wrapping keys that the replica hasn't unwrapped; absent if there are none. */
  readonly sealedRings?: number
  /** The ids of the KEKs in this replica's KEK_FILE or KEK; absent while they can't be read. */
  readonly keks?: readonly string[]
  /** The decrypterNames whose streams this replica of output is ready to derive; absent if there are none. */
  readonly derives?: readonly string[]
  /** Marks the last heartbeat, after which the replica accepts no requests. */
  readonly leaving?: true
}

export type Replica = {
  readonly id: string
  readonly beat: Heartbeat
  /** When the last heartbeat was received, by this process's clock. */
  readonly heardMs: number
  /** Like `heardMs`; for a heartbeat from before this reader's start, the time of writing if that is earlier. */
  readonly freshMs: number
}

export type KnownReplica = Replica & {
  /** When its last heartbeat was received, by this process's monotonic clock. */
  readonly heardUptimeMs: number
  /** The timestamp of the last heartbeat, by the broker's clock. */
  readonly writtenMs: number
  /** Whether the last heartbeat was written before the reader's start. */
  readonly isPast: boolean
}

export type ReplicaTable = {
  /** All replicas in the topic, including those that have stopped. */
  known(): Iterable<KnownReplica>
  /** The replicas that count for limits. */
  live(): Replica[]
  /**
   * The replicas that may still run: they have not left, and a heartbeat was received in the last 60 s. At its start,
   * the reader receives one from every replica in the topic.
   */
  heard(): Replica[]
  /** The ids of replicas without a heartbeat for 60 s. Their records may be removed. */
  dead(): string[]
  /**
   * How far this process's clock was ahead of the broker's clock when the last heartbeat was received, including the
   * delay of the heartbeat. Undefined if this was more than 5 s ago.
   */
  aheadOfBrokerMs(): number | undefined
}

export type FollowedReplicas = ReplicaTable & {
  /**
   * `isPast`: the record was written before the reader's start. Returns undefined for a tombstone.
   * @throws ControlStateError `control-state.record_not_known`, `record_malformed`
   */
  apply(record: ReplicaRecord, isPast: boolean): KnownReplica | undefined
  clear(): void
}

type ReplicaRecord = {
  readonly key: string
  readonly value: Buffer | null
  readonly timestampMs: number
}

/** A replica without a heartbeat for this long doesn't count for limits. */
export const liveForMs = 5_000
const deadAfterMs = 60_000

const uptime = (): number => performance.now()

export function createReplicaTable(now: () => number, monotonic = uptime): FollowedReplicas {
  const replicas = new Map<string, KnownReplica>()
  /** The replicas whose last heartbeat can't be read, and when this heartbeat was received. */
  const notRead = new Map<string, number>()
  const clocks = compareClocks(now)
  const heardWithin = (ms: number): Replica[] =>
    [...replicas.values()].filter(({ heardMs }) => now() - heardMs <= ms)
  return {
    apply({ key: id, value, timestampMs }, isPast) {
      if (value === null) {
        replicas.delete(id)
        notRead.delete(id)
        return undefined
      }
      const heardMs = now()
      if (!isPast) clocks.hear(heardMs, timestampMs)
      notRead.set(id, heardMs)
      const beat = parseHeartbeat(id, value)
      notRead.delete(id)
      const heard = { heardMs, heardUptimeMs: monotonic(), isPast }
      const replica = { id, beat, ...heard, ...writtenAt(timestampMs, heard) }
      replicas.set(id, replica)
      return replica
    },
    known: () => replicas.values(),
    live: () =>
      heardWithin(liveForMs).filter(
        ({ beat, freshMs }) => beat.leaving === undefined && now() - freshMs <= liveForMs,
      ),
    heard: () => heardWithin(deadAfterMs).filter(({ beat }) => beat.leaving === undefined),
    dead() {
      const heard = [...replicas.values()].map(({ id, heardMs }) => [id, heardMs] as const)
      const isDead = (heardMs: number): boolean => now() - heardMs > deadAfterMs
      return [...heard, ...notRead].flatMap(([id, heardMs]) => (isDead(heardMs) ? [id] : []))
    },
    aheadOfBrokerMs: clocks.aheadOfBrokerMs,
    clear() {
      for (const each of [replicas, notRead, clocks]) each.clear()
    },
  }
}

const writtenAt = (
  writtenMs: number,
  { heardMs, isPast }: Pick<KnownReplica, 'heardMs' | 'isPast'>,
): Pick<KnownReplica, 'writtenMs' | 'freshMs'> => ({
  writtenMs,
  freshMs: isPast ? Math.min(heardMs, writtenMs) : heardMs,
})

/** Compares this process's clock with the broker's timestamp of the last heartbeat. */
function compareClocks(now: () => number) {
  let last: { readonly heardMs: number; readonly writtenMs: number } | undefined
  return {
    hear: (heardMs: number, writtenMs: number) => void (last = { heardMs, writtenMs }),
    aheadOfBrokerMs: () =>
      last !== undefined && Math.abs(now() - last.heardMs) <= liveForMs
        ? last.heardMs - last.writtenMs
        : undefined,
    clear: () => void (last = undefined),
  }
}

const heartbeatForm = createForm(
  'heartbeat',
  untyped(
    objectOf<Heartbeat>({
      service: oneOf('auth', 'ingest', 'output'),
      sentMs: number,
      uptimeMs: number,
      spanMs: number,
      control: text,
      keys: text,
      streams: tableOf(isDemand),
      sealedRings: optional(number),
      keks: optional(listOf(text)),
      derives: optional(listOf(text)),
      leaving: optional(oneOf(true)),
    }),
  ),
)

function isDemand(value: unknown): value is StreamDemand {
  return Array.isArray(value) && value.length === 2 && value.every(number)
}

export const heartbeatValue = (beat: Heartbeat): Buffer => storedAs(heartbeatForm, beat)
export const parseHeartbeat = parserOf(replicasTopic, [heartbeatForm])
