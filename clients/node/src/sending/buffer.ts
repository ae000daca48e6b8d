// The events that have no outcome yet, in the order in which they were sent, and the room that is left for more. No I/O
// and no timers: whoever sends takes batches out of its queue and settles them.
import type { SendError } from '../errors.ts'
import type { BufferSize, Pending } from './pending.ts'
import { createQueue } from './queue.ts'
import type { SendQueue } from './queue.ts'

export type EventBuffer = {
  /** Those that wait to be sent. */
  readonly queue: Pick<SendQueue, 'hasBatch' | 'takeBatch' | 'putBack'>
  readonly room: Room
  add(pending: Pending): void
  /** Undefined: stored. */
  settle(pending: Pending, error?: SendError): void
  /** All without an outcome, the oldest first. */
  unsettled(): Iterable<Pending>
}

/** What those who send may know of it. */
export type Room = {
  size(): BufferSize
  /** More would be without bound. */
  isOverfull(): boolean
  /** Resolves once there is room. */
  ready(): Promise<void>
  /** Resolves once all that is in it now has its outcome. */
  flushed(): Promise<void>
}

/** So many times its size may wait for room in the buffer. */
const waitingFactor = 10

export function createBuffer(max: BufferSize): EventBuffer {
  const live = new Set<Pending>()
  const queue = createQueue()
  const { room, tell, count } = createRoom(live, max)
  return {
    queue,
    room,
    add(pending) {
      live.add(pending)
      count(pending, 1)
      queue.add(pending)
    },
    settle(pending, error) {
      if (!live.delete(pending)) return
      queue.leave(pending)
      pending.state = 'settled'
      count(pending, -1)
      if (error === undefined) pending.resolve()
      else pending.reject(error)
      tell()
    },
    unsettled: () => live,
  }
}

function createRoom(live: ReadonlySet<Pending>, max: BufferSize) {
  let bytes = 0
  let lastNumber = -1
  let roomWanted: (() => void)[] = []
  let flushes: { readonly upTo: number; readonly resolve: () => void }[] = []

  const exceeds = (factor: number): boolean =>
    live.size >= max.events * factor || bytes >= max.bytes * factor
  const room: Room = {
    size: () => ({ events: live.size, bytes }),
    isOverfull: () => exceeds(1 + waitingFactor),
    ready: () =>
      exceeds(1) ? new Promise((resolve) => roomWanted.push(resolve)) : Promise.resolve(),
    flushed: () =>
      live.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => flushes.push({ upTo: lastNumber, resolve })),
  }
  return {
    room,
    count(pending: Pending, more: 1 | -1): void {
      bytes += more * pending.bytes.length
      if (more === 1) lastNumber = pending.number
    },
    /** Those who wait for what has come about. */
    tell(): void {
      if (roomWanted.length > 0 && !exceeds(1)) {
        for (const resolve of roomWanted) resolve()
        roomWanted = []
      }
      if (flushes.length === 0) return
      const oldest = oldestOf(live)
      for (const { resolve } of flushes.filter(({ upTo }) => upTo < oldest)) resolve()
      flushes = flushes.filter(({ upTo }) => upTo >= oldest)
    },
  }
}

function oldestOf(live: ReadonlySet<Pending>): number {
  for (const { number } of live) return number
  return Number.POSITIVE_INFINITY
}
