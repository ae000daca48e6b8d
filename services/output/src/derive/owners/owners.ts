// Decides from the heartbeats in `weir.replicas` which input partitions this replica derives. Every replica reads the
// same heartbeats and computes the same result, without other messages. As far as clocks permit, only one replica at a
// time derives a partition. The fence stops a former owner that still writes (packages/kafka/src/fence).
import { followReplicas } from '@weir/control-state'
import type { KnownReplica, ReplicaFollower } from '@weir/control-state'
import type { Kafka } from '@weir/kafka'
import type { Log } from '@weir/kit'
import type { InputPartition } from './answers.ts'
import { createStanding } from './standing.ts'

export type { InputPartition } from './answers.ts'

export type Owners = {
  /**
   * Resolves once `weir.replicas` is read to its end, including this replica's own heartbeat. Never resolves if `close`
   * is called first.
   */
  start(): Promise<void>
  /** Returns whether this replica now derives the partition's streams of that decrypterName. False without a lease. */
  isMine(of: InputPartition, decrypterName: string): boolean
  /**
   * Calls `told` soon after results of isMine may have changed, in a later turn of the event loop. Returns a function
   * that unsubscribes.
   */
  onChange(told: () => void): () => void
  /**
   * Reads `weir.replicas` to its end. A fenced replica calls this before it acquires partitions again.
   * @throws KafkaError `kafka.unavailable`
   */
  catchUp(): Promise<void>
  close(): Promise<void>
}

type OwnersOptions = {
  readonly kafka: Kafka
  readonly self: string
  readonly log: Log
  /** Called when the lease is acquired, and when it is lost. */
  readonly onLease?: (isHeld: boolean) => void
  readonly now?: () => number
  readonly monotonic?: () => number
}

/**
 * The maximum delay until the end of any replica's lease is noticed. isMine notices the end of this replica's lease
 * without delay.
 */
const lookEveryMs = 250

export function createOwners(options: OwnersOptions): Owners {
  const { kafka, self, log, now = Date.now, monotonic = () => performance.now() } = options
  const listeners = new Set<() => void>()
  const leaseNotes = createLeaseNotes(log, options.onLease)
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  const standing = createStanding({
    self,
    clock: () => ({ wallMs: now(), uptimeMs: monotonic() }),
    replicas: () => (!isClosed && follower.isRead() ? follower.replicas.known() : undefined),
    onChange: afterTurn(() => listeners.forEach((told) => told())),
  })
  const look = (): void => {
    if (isClosed) return
    standing.look()
    leaseNotes.see(standing.isHeld())
  }
  const follower = followHeartbeats({ kafka, now, monotonic, log, look, hear: standing.hear })

  return {
    async start() {
      timer = setInterval(look, lookEveryMs).unref()
      await follower.start()
      look()
      await leaseNotes.heldFirst
    },
    isMine: standing.isMine,
    onChange(told) {
      listeners.add(told)
      return () => void listeners.delete(told)
    },
    catchUp: () => follower.catchUp().then(look),
    async close() {
      isClosed = true
      clearInterval(timer)
      listeners.clear()
      await follower.close()
    },
  }
}

type Following = Required<Omit<OwnersOptions, 'self' | 'onLease'>> & {
  readonly hear: (replica: KnownReplica) => void
  readonly look: () => void
}

/** Calls `look` only once for heartbeats that arrive together. */
function followHeartbeats({ hear, look, ...options }: Following): ReplicaFollower {
  const lookSoon = afterTurn(look)
  return followReplicas({
    ...options,
    onBeat(replica) {
      hear(replica)
      lookSoon()
    },
  })
}

/** Logs each loss of the lease once, and resolves `heldFirst` when this replica first has the lease. */
function createLeaseNotes(log: Log, told: OwnersOptions['onLease']) {
  const heldFirst = Promise.withResolvers<void>()
  let wasHeld = false
  return {
    heldFirst: heldFirst.promise,
    see(isHeld: boolean): void {
      if (isHeld) heldFirst.resolve()
      else if (wasHeld) log.warn(lostWords)
      if (isHeld !== wasHeld) told?.(isHeld)
      wasHeld = isHeld
    },
  }
}

const lostWords =
  'this replica has not read its own heartbeat in weir.replicas for 10 s, or cannot read all of it: it derives nothing'

/** The returned function runs the work once at the end of the event loop's turn, however often it is called. */
function afterTurn(work: () => void): () => void {
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    setImmediate(() => {
      isDue = false
      work()
    })
  }
}
