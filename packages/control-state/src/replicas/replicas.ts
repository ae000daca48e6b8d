// What replicas report in `weir.replicas`: one heartbeat per second, under the replica's id. Limits across replicas
// depend on these, erasures wait for the positions in them, and output's replicas share partitions by them. Records and
// the table of them. The reader's own clock decides which replicas are alive, so no two clocks need to agree.

import { createForm, parserOf, storedAs, untyped } from '../forms/form.ts'
import { listOf, number, objectOf, oneOf, optional, tableOf, text } from '../forms/guards.ts'

export const replicasTopic = 'weir.replicas'

/** The requests to one stream since the last heartbeat: all, and those that its rate permitted. */
export type StreamDemand = readonly [demanded: number, taken: number]

export type Heartbeat = {
  readonly service: 'auth' | 'ingest' | 'output'
  /** When it was sent, by the replica's own clocks: only the replica itself may compare them with anything. */
  readonly sentMs: number
  /** The same by its monotonic clock. */
  readonly uptimeMs: number
  /** The time that `streams` covers. */
  readonly spanMs: number
  /** The next offsets to be read of `weir.control` and `weir.keys`, decimal. */
  readonly control: string
  readonly keys: string
  /** By streamId; only those with any demand. */
  readonly streams: Readonly<Record<string, StreamDemand>>
  /** How many wrapping keys it may use and can't unwrap; absent if none. */
  readonly sealedRings?: number
  /** The KEKs that this replica itself has, in KEK_FILE or KEK; absent while it can't tell. */
  readonly keks?: readonly string[]
  /** The decrypterNames whose streams this replica of output is ready to derive; absent if none. */
  readonly derives?: readonly string[]
  /** The last heartbeat: the replica accepts nothing more. */
  readonly leaving?: true
}

export type Replica = {
  readonly id: string
  readonly beat: Heartbeat
  /** When its last heartbeat was received, by this process's clock. */
  readonly heardMs: number
  /** The same, but for a heartbeat from before the reader started, when it was written, if that is earlier. */
  readonly freshMs: number
}

/** The same, with the times of other clocks. */
export type KnownReplica = Replica & {
  /** When its last heartbeat was received, by this process's monotonic clock. */
  readonly heardUptimeMs: number
  /** The timestamp of its last heartbeat: the broker's clock. */
  readonly writtenMs: number
  /** Its last heartbeat was written before the reader started. */
  readonly isPast: boolean
}

/** Which replicas there are. */
export type ReplicaTable = {
  /** All that the topic names, including those that left or died. */
  known(): Iterable<KnownReplica>
  /** The replicas that count for limits. */
  live(): Replica[]
  /** The replicas that may still be working: heard in the last 60 s, if the reader has run that long. */
  heard(): Replica[]
  /** The replicas that were not heard for 60 s: their records may be removed. */
  dead(): string[]
  /**
   * How far this process's clock was ahead of the broker's when the last heartbeat was received, including its delay;
   * undefined unless that was in the last 5 s. The topic's timestamps are the broker's.
   */
  aheadOfBrokerMs(): number | undefined
}

/** The table, and what fills it. */
export type FollowedReplicas = ReplicaTable & {
  /**
   * `isPast`: it was written before the reader started. Undefined for a tombstone.
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
  /** When the replicas whose last heartbeat can't be read were heard. */
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

/** By the last heartbeat that was received while the topic was followed. */
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
