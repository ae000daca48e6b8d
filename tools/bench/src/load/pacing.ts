// Requests at a fixed rate, independent of the responses. A request's time counts from when it was due, even if it was
// sent later.
import type { LoadConnection } from './connection.ts'

export type LoadPace = {
  rate: number
  /** The total number of requests; unlimited by default. */
  count?: number
  /** The body of each request in turn. It is copied before the next call. */
  body: (number: number) => Buffer
}

export type Pacing = {
  /** When a request is due, by the clock of `performance`. */
  dueAt(number: number): number
  /** Resolves when the last request has been sent. */
  done: Promise<void>
  stop(): void
}

export function startPacing(connections: readonly LoadConnection[], pace: LoadPace): Pacing {
  const { rate, count = Number.POSITIVE_INFINITY, body } = pace
  const startedAt = performance.now()
  const done = Promise.withResolvers<void>()
  const dueAt = (number: number): number => startedAt + (number / rate) * 1_000
  let sent = 0
  const timer = setInterval(() => {
    const due = Math.min(count, ((performance.now() - startedAt) / 1_000) * rate)
    while (sent < due) {
      const connection = connections[sent % connections.length]
      if (connection?.request(body(sent), dueAt(sent)) !== true) break
      sent += 1
    }
    for (const connection of connections) connection.flush()
    if (sent < count) return
    clearInterval(timer)
    done.resolve()
  }, 1)
  return { dueAt, done: done.promise, stop: () => clearInterval(timer) }
}

export function writeDigits(
  bytes: Buffer,
  { at, digits }: { at: number; digits: number },
  number: number,
): void {
  for (let left = number, i = at + digits - 1; i >= at; i -= 1, left = Math.floor(left / 10))
    bytes[i] = 0x30 + (left % 10)
}
