// What replicas say of themselves in `weir.replicas`: one heartbeat a second, under the replica's id. The
// limits hold across replicas by these, an erasure waits for the positions in them, and output's replicas share the
// partitions to derive by them. Records and the table over them; who is alive is a matter of the reader's own clock,
// so no two clocks need to agree.

import { createForm, parserOf, storedAs, untyped } from '../forms/form.ts'
import { listOf, number, objectOf, oneOf, optional, tableOf, text } from '../forms/guards.ts'

export const replicasTopic = 'weir.replicas'

/** Of one stream since the last heartbeat: requests that wanted in, and those that its rate let in. */
export type StreamDemand = readonly [demanded: number, taken: number]

export type Heartbeat = {
  readonly service: 'auth' | 'ingest' | 'output'
  /** When it was sent, by the replica's own clocks: only the replica itself may compare them with anything. */
  readonly sentMs: number
  /** The same by its monotonic clock. */
  readonly uptimeMs: number
  /** The time that `streams` is about. */
  readonly spanMs: number
  /** The next offsets to be read of `weir.control` and `weir.keys`, decimal. */
  readonly control: string
  readonly keys: string
  /** By streamId; only those with any demand. */
  readonly streams: Readonly<Record<string, StreamDemand>>
  /** How many wrapping keys it may use and can't unwrap; none when absent. */
  readonly sealedRings?: number
  /** The KEKs that this replica itself has, in KEK_FILE or KEK; absent while it can't tell. */
  readonly keks?: readonly string[]
  /** The decrypterNames whose streams this replica of output is ready to derive; none when absent. */
  readonly derives?: readonly string[]
  /** The last one: it takes nothing more. */
  readonly leaving?: true
}

export type Replica = {
  readonly id: string
  readonly beat: Heartbeat
  /** When it was heard of last, by this process's clock. */
  readonly heardMs: number
  /** The same, but for what was read from the past: when it was written then. */
  readonly freshMs: number
}

/** The same, for who looks at the time another way. */
export type KnownReplica = Replica & {
  /** When it was heard of last, by this process's monotonic clock. */
  readonly heardUptimeMs: number
  /** The timestamp of its last heartbeat: the broker's clock. */
  readonly writtenMs: number
  /** Its last heartbeat was there before the reader began. */
  readonly isPast: boolean
}

/** Who there is, for those who ask. */
export type ReplicaTable = {
  /** All that the topic names, those that left and those that died too. */
  known(): Iterable<KnownReplica>
  /** Who counts for limits. */
  live(): Replica[]
  /** Who may still be at work: heard of in the last 60 s, by a reader that has run so long. */
  heard(): Replica[]
  /** Not heard of for 60 s: their records may go. */
  dead(): string[]
  /**
   * How far this process's clock was ahead of the broker's when the last heartbeat came, how late it came included;
   * undefined unless that was in the last 5 s. The topic's timestamps are the broker's.
   */
  aheadOfBrokerMs(): number | undefined
}

/** The table, and what makes it. */
export type FollowedReplicas = ReplicaTable & {
  /**
   * `isPast`: it was written before the reader began. Undefined for a tombstone.
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

/** Without a heartbeat for so long a replica isn't counted for limits. */
export const liveForMs = 5_000
const deadAfterMs = 60_000

const uptime = (): number => performance.now()

export function createReplicaTable(now: () => number, monotonic = uptime): FollowedReplicas {
  const replicas = new Map<string, KnownReplica>()
  /** When those were heard of whose last heartbeat can't be read. */
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

/** By the last heartbeat that came in while it was followed. */
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
