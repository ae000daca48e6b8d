// Waiting with limits: delays that can be aborted, promises with a time-out, growing pauses between attempts, and
// polling. Clocks are read only to measure time spans.

import { AppError } from './errors.ts'

/** Resolves after `ms`. Rejects with AppError `kit.aborted` as soon as the signal aborts. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(aborted())
    const onAbort = () => {
      clearTimeout(timer)
      reject(aborted())
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      },
      Math.max(0, ms),
    )
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** Settles like the promise, or rejects with AppError `kit.timeout` after `ms`. The work itself continues. */
export async function withTimeout<T>(promise: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const expiry = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLong(what, ms)), Math.max(0, ms))
  })
  try {
    return await Promise.race([promise, expiry])
  } finally {
    clearTimeout(timer)
  }
}

export type BackoffOptions = {
  minMs: number
  maxMs: number
  /** The upper bound of the first pause. The bound doubles each time, up to `maxMs`. */
  firstMs?: number
  random?: () => number
}

/**
 * Yields pauses in milliseconds, without end. Each is random between `minMs` and a bound that doubles up to `maxMs`.
 */
export function* backoff(options: BackoffOptions): Generator<number, never, void> {
  const { minMs, maxMs, random = Math.random } = options
  let bound = Math.min(maxMs, options.firstMs ?? minMs * 2)
  for (;;) {
    yield Math.round(minMs + random() * Math.max(0, bound - minMs))
    bound = Math.min(maxMs, bound * 2)
  }
}

export type PollOptions = { deadlineMs: number; everyMs?: number; what?: string }

/**
 * Calls `look` until it returns something other than undefined, null or false, and resolves with that. Rejects with
 * AppError `kit.timeout` after the deadline. An error of `look` rejects immediately.
 */
export async function pollUntil<T>(
  look: () => T | Promise<T>,
  { deadlineMs, everyMs = 50, what = 'a condition' }: PollOptions,
): Promise<Exclude<T, undefined | null | false>> {
  const end = performance.now() + deadlineMs
  for (;;) {
    const remainingMs = Math.max(0, end - performance.now())
    const seen = await withTimeout(Promise.resolve(look()), remainingMs, what)
    if (isThere(seen)) return seen
    if (performance.now() + everyMs > end) throw tooLong(what, deadlineMs)
    await delay(everyMs)
  }
}

function isThere<T>(value: T): value is Exclude<T, undefined | null | false> {
  return value !== undefined && value !== null && value !== false
}

function tooLong(what: string, ms: number): AppError<'kit.timeout'> {
  return new AppError('kit.timeout', `${what} took longer than ${Math.round(ms)} ms`)
}

function aborted(): AppError<'kit.aborted'> {
  return new AppError('kit.aborted', 'called off')
}

/**
 * Returns a function that calls `read` at most once per turn of the event loop, for example to read a clock that is
 * needed thousands of times in a turn.
 */
export function oncePerTurn<T>(read: () => T): () => T {
  let known: { readonly value: T } | undefined
  const forget = (): void => {
    known = undefined
  }
  return () => {
    if (known === undefined) {
      known = { value: read() }
      setImmediate(forget).unref()
    }
    return known.value
  }
}

/**
 * Returns a function for long, non-urgent work on the event loop, to be awaited between the steps. It resolves
 * immediately until the work has taken `ms`. Then it resolves after twice this time, so that the loop is mostly free
 * for other work.
 */
export function takingTurns(ms = 3): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    if (performance.now() - since < ms) return undefined
    return new Promise((resolve) =>
      setTimeout(() => {
        since = performance.now()
        resolve()
      }, 2 * ms),
    )
  }
}

export type InTurn = <Answer>(name: string, work: () => Promise<Answer>) => Promise<Answer>

/** Runs work with the same name one after the other, even after failures. */
export function oneAtATime(): InTurn {
  const last = new Map<string, Promise<unknown>>()
  return async (name, work) => {
    const before = last.get(name)
    const mine = before === undefined ? work() : before.then(work)
    const ended = mine.catch(() => undefined)
    last.set(name, ended)
    try {
      return await mine
    } finally {
      if (last.get(name) === ended) last.delete(name)
    }
  }
}
