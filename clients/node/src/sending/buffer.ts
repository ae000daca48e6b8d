// Keeps the events without an outcome, in the order of `send`, and limits their number and bytes. No I/O and no timers.
import type { SendError } from '../errors.ts'
import type { BufferSize } from './options.ts'
import type { Pending } from './pending.ts'
import { createQueue } from './queue.ts'
import type { SendQueue } from './queue.ts'

export type EventBuffer = {
  readonly queue: Pick<SendQueue, 'hasBatch' | 'takeBatch' | 'putBack'>
  readonly room: Room
  add(pending: Pending): void
  /** Resolves the promise of `send`, or rejects it with the error. */
  settle(pending: Pending, error?: SendError): void
  /** Returns all events without an outcome, the oldest first. */
  unsettled(): Iterable<Pending>
}

export type Room = {
  size(): BufferSize
  /** Returns whether further events must be refused. */
  isOverfull(): boolean
  /** Resolves once the buffer is not full. */
  ready(): Promise<void>
  /** Resolves once every event that is in the buffer now has its outcome. */
  flushed(): Promise<void>
}

/** Beyond its size, the buffer accepts this many times its size. */
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
    /** Resolves the promises of `ready` and `flushed` whose condition is met. */
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
