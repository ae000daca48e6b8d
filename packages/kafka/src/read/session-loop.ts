// Repeatedly fetches the partitions of one fetch session from one broker, on a connection of its own. A partition with
// an error leaves the session immediately, because a broker doesn't wait for records while a partition has an error.
import type { FetchAnswer, FetchedPartition, FetchRequest } from '../protocol/fetch.ts'
import { createBell } from './bell.ts'
import type { Bell } from './bell.ts'
import { createFetchSession } from './fetch-session.ts'
import type { FetchSession } from './fetch-session.ts'
import { keyOf, askedOf } from './fetch-reader.ts'
import type { Reader } from './fetch-reader.ts'

export type SessionKind = 'hot' | 'cold'

export type SessionHooks = {
  ask(request: FetchRequest, purpose: SessionKind): Promise<FetchAnswer>
  /** Called before each request, to add or remove readers. */
  prepare(): void
  /** Returns the time after which to check an empty session again without a signal, or undefined for never. */
  lookAgainMs(): number | undefined
  /** Passes fetched records to a reader. */
  take(reader: Reader, fetched: FetchedPartition): Promise<void>
  failed(readers: readonly Reader[], error: unknown): void
}

export type SessionLoop = {
  hold(reader: Reader): void
  letGo(reader: Reader): void
  readers(): Iterable<Reader>
  ring(): void
  /** After the signal, resolves when the last request has ended. */
  run(signal: AbortSignal): Promise<void>
}

/** How long the broker may wait for records, and the shortest time between two requests. */
const TIMES = { hot: { waitMs: 50, everyMs: 5 }, cold: { waitMs: 1_000, everyMs: 10 } }
const BYTES_MAX = 4_194_304

export function createSessionLoop(kind: SessionKind, hooks: SessionHooks): SessionLoop {
  const loop: Loop = { kind, session: createFetchSession(), held: new Map(), bell: createBell() }
  const { session, held, bell } = loop
  return {
    hold(reader) {
      const partition = askedOf(reader)
      held.set(keyOf(partition), reader)
      session.put(partition)
      reader.home = kind
    },
    letGo(reader) {
      const partition = askedOf(reader)
      held.delete(keyOf(partition))
      session.drop(partition)
    },
    readers: () => held.values(),
    ring: bell.ring,
    async run(signal) {
      while (!signal.aborted) await round(loop, hooks)
    },
  }
}

type Loop = {
  readonly kind: SessionKind
  readonly session: FetchSession
  readonly held: Map<string, Reader>
  readonly bell: Bell
}

async function round({ kind, session, held, bell }: Loop, hooks: SessionHooks): Promise<void> {
  const { waitMs, everyMs } = TIMES[kind]
  hooks.prepare()
  const told = session.next()
  if (told === undefined) return bell.wait(hooks.lookAgainMs())
  const nextMs = performance.now() + everyMs
  try {
    const limits = { waitMs, bytesMax: BYTES_MAX, isCommittedOnly: true }
    await take({ session, held }, hooks, await hooks.ask({ ...told, ...limits }, kind))
  } catch (error) {
    session.lost()
    hooks.failed([...held.values()], error)
  }
  await pause(nextMs)
}

async function take(
  { session, held }: Pick<Loop, 'session' | 'held'>,
  hooks: SessionHooks,
  { errorCode, sessionId, partitions }: FetchAnswer,
): Promise<void> {
  // The broker has forgotten the session, or a response was lost. The next request creates a new session.
  if (errorCode !== 0) return session.lost()
  session.answered(sessionId)
  for (const fetched of partitions) {
    const reader = held.get(keyOf(fetched))
    if (reader === undefined) continue
    await hooks.take(reader, fetched)
    if (held.get(keyOf(fetched)) === reader) session.put(askedOf(reader))
  }
}

async function pause(untilMs: number): Promise<void> {
  const ms = untilMs - performance.now()
  if (ms > 0.5) await new Promise((resolve) => setTimeout(resolve, ms))
}
