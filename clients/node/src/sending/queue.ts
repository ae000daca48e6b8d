// Queues the events that wait to be sent: retries before new events, both in the order of `send`. Counts events and
// bytes, so that full batches are sent immediately.
import type { BufferSize } from './options.ts'
import type { Pending } from './pending.ts'

export type SendQueue = {
  add(pending: Pending): void
  /** Stops counting an event that has its outcome. */
  leave(pending: Pending): void
  hasBatch(max: BufferSize): boolean
  /** Takes events from the front: at least one if any waits, even if it is larger than `max`. */
  takeBatch(max: BufferSize): Pending[]
  /** Adds events to be sent again. */
  putBack(events: readonly Pending[]): void
}

export function createQueue(): SendQueue {
  const waiting = createOrder()
  let events = 0
  let bytes = 0

  const count = (pending: Pending, more: 1 | -1): void => {
    events += more
    bytes += more * pending.bytes.length
  }
  return {
    add(pending) {
      waiting.push(pending)
      count(pending, 1)
    },
    leave(pending) {
      if (pending.state === 'waiting') count(pending, -1)
    },
    hasBatch: (max) => events >= max.events || bytes >= max.bytes,
    takeBatch(max) {
      const batch: Pending[] = []
      let length = 0
      while (batch.length < max.events) {
        const next = waiting.peek()
        length += next?.bytes.length ?? 0
        if (next === undefined || (batch.length > 0 && length > max.bytes)) break
        waiting.shift()
        next.state = 'taken'
        count(next, -1)
        batch.push(next)
      }
      return batch
    },
    putBack(back) {
      const open = back.filter(({ state }) => state !== 'settled')
      for (const pending of open) pending.state = 'waiting'
      for (const pending of open) count(pending, 1)
      waiting.insert(open)
    },
  }
}

/** Skips settled events. */
function createOrder() {
  const fresh = createFresh()
  let again: Pending[] = []
  return {
    push: fresh.push,
    peek(): Pending | undefined {
      while (again[0]?.state === 'settled') again.shift()
      return again[0] ?? fresh.peek()
    },
    /** Call it after `peek` has returned an event. */
    shift(): void {
      if (again.length > 0) again.shift()
      else fresh.shift()
    },
    insert(events: readonly Pending[]): void {
      again = [...again, ...events].sort((one, other) => one.number - other.number)
    },
  }
}

/** Avoids an array's `shift`, which moves all later items. Skips settled events. */
function createFresh() {
  let items: Pending[] = []
  let head = 0
  const shift = (): void => {
    head += 1
    if (head < 1_024 || head * 2 < items.length) return
    items = items.slice(head)
    head = 0
  }
  return {
    push: (pending: Pending) => void items.push(pending),
    peek(): Pending | undefined {
      while (items[head]?.state === 'settled') shift()
      return items[head]
    },
    shift,
  }
}
