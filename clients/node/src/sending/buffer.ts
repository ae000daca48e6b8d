// The events that have no outcome yet, counted in events and octets, in the order in which they were sent. What is sent
// again comes before what wasn't sent yet. No I/O and no timers: whoever sends takes batches out and settles them.
import type { SendError } from '../errors.ts'

export type Pending = {
  /** Counts from 0 in the order of `send`. */
  readonly number: number
  readonly bytes: Buffer
  readonly deadlineMs: number
  readonly resolve: () => void
  readonly reject: (error: SendError) => void
  /** `taken` as part of a request that hasn't left, `under_way` once it may have. */
  state: 'waiting' | 'taken' | 'under_way' | 'resting' | 'settled'
  tries: number
  /** A try of it has no certain outcome. */
  mayBeStored: boolean
  tokensRefused: number
}

export type BufferSize = { readonly events: number; readonly bytes: number }

export type EventBuffer = {
  size(): BufferSize
  isFull(): boolean
  /** More would be without bound. */
  isOverfull(): boolean
  add(pending: Pending): void
  /** Whether a batch would be as large as it may be. */
  hasBatch(max: BufferSize): boolean
  /** From the front; one event at least when there is any, however large. */
  takeBatch(max: BufferSize): Pending[]
  /** To be sent again. */
  putBack(events: readonly Pending[]): void
  /** Undefined: stored. */
  settle(pending: Pending, error?: SendError): void
  /** All without an outcome, the oldest first. */
  unsettled(): Iterable<Pending>
  /** Resolves once there is room. */
  ready(): Promise<void>
  /** Resolves once all that is in it now has its outcome. */
  flushed(): Promise<void>
}

/** So many times its size may wait for room in the buffer. */
const waitingFactor = 10

type Flush = { readonly upTo: number; readonly resolve: () => void }

export function createBuffer(max: BufferSize): EventBuffer {
  const live = new Set<Pending>()
  const fresh = createQueue()
  let again: Pending[] = []
  let bytes = 0
  /** Of those that a batch may take. */
  let waitingEvents = 0
  let waitingBytes = 0
  let lastNumber = -1
  let roomWanted: (() => void)[] = []
  let flushes: Flush[] = []

  const exceeds = (factor: number): boolean =>
    live.size >= max.events * factor || bytes >= max.bytes * factor
  const count = (pending: Pending, events: 1 | -1): void => {
    waitingEvents += events
    waitingBytes += events * pending.bytes.length
  }
  const oldestNumber = (): number => {
    for (const { number } of live) return number
    return Number.POSITIVE_INFINITY
  }
  const peek = (): Pending | undefined => {
    while (again[0]?.state === 'settled') again.shift()
    return again[0] ?? fresh.peek()
  }
  function tell(): void {
    if (roomWanted.length > 0 && !exceeds(1)) {
      for (const resolve of roomWanted) resolve()
      roomWanted = []
    }
    if (flushes.length === 0) return
    const oldest = oldestNumber()
    for (const { resolve } of flushes.filter(({ upTo }) => upTo < oldest)) resolve()
    flushes = flushes.filter(({ upTo }) => upTo >= oldest)
  }

  return {
    size: () => ({ events: live.size, bytes }),
    isFull: () => exceeds(1),
    isOverfull: () => exceeds(1 + waitingFactor),
    add(pending) {
      live.add(pending)
      bytes += pending.bytes.length
      lastNumber = pending.number
      fresh.push(pending)
      count(pending, 1)
    },
    hasBatch: (most) => waitingEvents >= most.events || waitingBytes >= most.bytes,
    takeBatch(most) {
      const batch: Pending[] = []
      let length = 0
      for (let next = peek(); next !== undefined && batch.length < most.events; next = peek()) {
        length += next.bytes.length
        if (batch.length > 0 && length > most.bytes) break
        if (next === again[0]) again.shift()
        else fresh.shift()
        next.state = 'taken'
        count(next, -1)
        batch.push(next)
      }
      return batch
    },
    putBack(events) {
      const open = events.filter(({ state }) => state !== 'settled')
      for (const pending of open) {
        pending.state = 'waiting'
        count(pending, 1)
      }
      again = [...again, ...open].sort((one, other) => one.number - other.number)
    },
    settle(pending, error) {
      if (!live.delete(pending)) return
      if (pending.state === 'waiting') count(pending, -1)
      pending.state = 'settled'
      bytes -= pending.bytes.length
      if (error === undefined) pending.resolve()
      else pending.reject(error)
      tell()
    },
    unsettled: () => live,
    ready: () =>
      exceeds(1) ? new Promise((resolve) => roomWanted.push(resolve)) : Promise.resolve(),
    flushed: () =>
      live.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => flushes.push({ upTo: lastNumber, resolve })),
  }
}

type Queue = { push(pending: Pending): void; peek(): Pending | undefined; shift(): void }

/** An array's own `shift` moves all that comes after. Settled ones are passed over. */
function createQueue(): Queue {
  let items: Pending[] = []
  let head = 0
  const shift = (): void => {
    head += 1
    if (head < 1_024 || head * 2 < items.length) return
    items = items.slice(head)
    head = 0
  }
  return {
    push: (pending) => void items.push(pending),
    peek() {
      while (items[head]?.state === 'settled') shift()
      return items[head]
    },
    shift,
  }
}
