// Finds the replicas that share the partitions of each decrypterName: replicas of output that are alive and ready to
// derive its streams. If a dead replica is detected late, its partitions wait. If a living replica is considered dead,
// it loses its partitions without need. So another replica's silence counts only while this replica could receive
// heartbeats. Pure.
import type { KnownReplica } from '@weir/control-state'
import { elapsedMs, leaseMs } from './leases.ts'
import type { Instant, Lease } from './leases.ts'

/** The ids of the replicas that derive each decrypterName. */
export type Candidates = ReadonlyMap<string, readonly string[]>

/** After an outage, each living replica sends a heartbeat within this time. */
const speakMs = 5_000
/** A replica counts as dead if it was silent since this replica's start, and its last heartbeat is older than this. */
const rememberedMs = 60_000

type Reader = { readonly self: string; readonly lease: Lease; readonly at: Instant }

/**
 * Returns the candidates as this replica sees them while it has its lease. This replica is a candidate itself once it
 * has read its own heartbeat.
 */
export function candidatesIn(known: Iterable<KnownReplica>, reader: Reader): Candidates {
  const replicas = [...known].filter(({ beat }) => beat.service === 'output' && !beat.leaving)
  const own = replicas.find(({ id }) => id === reader.self)
  if (own === undefined) return new Map()
  const byName = new Map<string, KnownReplica[]>()
  for (const one of replicas.filter((each) => each === own || isAlive(each, own, reader)))
    for (const name of new Set(one.beat.derives))
      byName.set(name, [...(byName.get(name) ?? []), one])
  return new Map([...byName].map(([name, all]) => [name, wholeFirst(all).map(({ id }) => id)]))
}

/** Prefers replicas with all keys. A replica that lacks a key derives only if no replica has all keys. */
function wholeFirst(replicas: readonly KnownReplica[]): readonly KnownReplica[] {
  const whole = replicas.filter(({ beat }) => beat.sealedRings === undefined)
  return whole.length > 0 ? whole : replicas
}

/**
 * Returns true if the replica's heartbeat was received in the last 10 s by this replica's clocks. Also returns true if
 * the two replicas' heartbeats were written at most 10 s apart by the broker's clock: then the clocks here jumped, or
 * this process was suspended. In the first seconds after an outage, neither test can prove that a replica is dead.
 */
function isAlive(replica: KnownReplica, own: KnownReplica, { lease, at }: Reader): boolean {
  const heard = { wallMs: replica.heardMs, uptimeMs: replica.heardUptimeMs }
  const apartMs = Math.abs(own.writtenMs - replica.writtenMs)
  if (apartMs <= leaseMs) return true
  if (!replica.isPast && elapsedMs(heard, at) <= leaseMs) return true
  return hasJustBegun(lease) && (!replica.isPast || apartMs <= rememberedMs)
}

const hasJustBegun = ({ since, renewed }: Lease): boolean =>
  renewed.uptimeMs - since.uptimeMs < speakMs
