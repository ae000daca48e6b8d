// Fetches the followed partitions that one broker leads. A reader's partition is fetched without a session up to the
// log's end. Then the partition's first read_committed reader gets a place in a session: in the hot one while records
// arrive often, otherwise in the cold one, with few requests that wait long. For each request, a broker checks every
// partition of its session, so idle partitions must not be in the hot session.
import type { FetchAnswer, FetchedPartition, FetchRequest } from '../protocol/fetch.ts'
import { deliver } from './deliver.ts'
import { endOf, keyOf, askedOf } from './fetch-reader.ts'
import type { Lost, Reader } from './fetch-reader.ts'
import { createPoolLoop } from './pool-loop.ts'
import type { PoolLoop } from './pool-loop.ts'
import { createSessionLoop } from './session-loop.ts'
import type { SessionLoop } from './session-loop.ts'

export type BrokerHooks = {
  ask(request: FetchRequest, purpose: 'hot' | 'cold' | 'pool'): Promise<FetchAnswer>
  /** This broker no longer serves these readers. Their leaders must be found again. */
  failed(readers: readonly Reader[], error: unknown): void
  /** The reader's offset is outside the log. */
  outside(reader: Reader): void
  lost(reader: Reader, lost: Lost): void
  /** The broker returned this error code. */
  refused(reader: Reader, errorCode: number): void
}

export type BrokerFetches = {
  add(reader: Reader): void
  remove(reader: Reader): void
  close(): void
}

const HOT_FOR_MS = 300
const COOL_EVERY_MS = 100
const LOOK_AGAIN_MS = 50
const OFFSET_OUT_OF_RANGE = 1

export function createBrokerFetches(hooks: BrokerHooks): BrokerFetches {
  const closing = new AbortController()
  const { ask } = hooks
  const failed: BrokerHooks['failed'] = (readers, error) => failAll(parts, readers, error)
  const session = {
    ask,
    failed,
    take: (reader: Reader, fetched: FetchedPartition) => takeOfSession(parts, reader, fetched),
  }
  const hot = createSessionLoop('hot', {
    ...session,
    prepare: () => warmUp(parts),
    lookAgainMs: () => undefined,
  })
  const cold = createSessionLoop('cold', {
    ...session,
    prepare: () => coolDown(parts),
    lookAgainMs: () => ([...hot.readers()].length > 0 ? COOL_EVERY_MS : undefined),
  })
  const pool = createPoolLoop({
    ask,
    failed,
    take: (reader, fetched, isRest) => takeOfPool(parts, reader, { fetched, isRest }),
  })
  const parts: Parts = { hooks, hot, cold, pool, joining: new Set(), inSession: new Map() }
  for (const loop of [hot, cold, pool]) void loop.run(closing.signal)

  return {
    add: pool.hold,
    remove: (reader) => remove(parts, reader),
    close() {
      closing.abort()
      for (const loop of [hot, cold, pool]) loop.ring()
    },
  }
}

type Parts = {
  readonly hooks: BrokerHooks
  readonly hot: SessionLoop
  readonly cold: SessionLoop
  readonly pool: PoolLoop
  /** Readers that wait for the hot session's next request. */
  readonly joining: Set<Reader>
  /** The readers in sessions, by partition, because a session can contain a partition only once. */
  readonly inSession: Map<string, Reader>
}

function remove({ hot, cold, pool, joining, inSession }: Parts, reader: Reader): void {
  const { home } = reader
  if (home === 'pool') pool.letGo(reader)
  if (home === 'hot') hot.letGo(reader)
  if (home === 'cold') cold.letGo(reader)
  joining.delete(reader)
  const key = keyOf(askedOf(reader))
  if (inSession.get(key) === reader) inSession.delete(key)
  reader.home = 'none'
}

function failAll(parts: Parts, readers: readonly Reader[], error: unknown): void {
  for (const reader of readers) remove(parts, reader)
  parts.hooks.failed(readers, error)
}

type Fetched = { readonly fetched: FetchedPartition; readonly isRest: boolean }

/** Returns whether the reader stays with this broker. */
async function take(parts: Parts, reader: Reader, { fetched, isRest }: Fetched): Promise<boolean> {
  const { hooks } = parts
  const { errorCode, divergesAt } = fetched
  if (errorCode !== 0 || divergesAt !== undefined) {
    remove(parts, reader)
    if (divergesAt !== undefined) hooks.lost(reader, { why: 'cut', from: divergesAt })
    else if (errorCode === OFFSET_OUT_OF_RANGE) hooks.outside(reader)
    else hooks.refused(reader, errorCode)
    return false
  }
  const { life } = reader
  const isHere = () => reader.life === life && reader.home !== 'none'
  try {
    await deliver(reader, fetched, isRest)
  } catch (error) {
    if (isHere()) failAll(parts, [reader], error)
  }
  return isHere()
}

async function takeOfSession(
  parts: Parts,
  reader: Reader,
  fetched: FetchedPartition,
): Promise<void> {
  const beforeMs = reader.recordsMs
  if (!(await take(parts, reader, { fetched, isRest: false }))) return
  if (reader.home !== 'cold' || reader.recordsMs - beforeMs > HOT_FOR_MS) return
  parts.joining.add(reader)
  parts.hot.ring()
}

async function takeOfPool(parts: Parts, reader: Reader, what: Fetched): Promise<void> {
  const { joining, inSession, hot, pool } = parts
  if (!(await take(parts, reader, what)) || reader.home !== 'pool') return
  if (reader.at < endOf(reader, what.fetched)) return
  const key = keyOf(askedOf(reader))
  if (reader.isolation !== 'read_committed' || inSession.has(key)) {
    reader.notBeforeMs = performance.now() + LOOK_AGAIN_MS
    return
  }
  pool.letGo(reader)
  reader.home = 'joining'
  inSession.set(key, reader)
  joining.add(reader)
  hot.ring()
}

function warmUp({ joining, hot, cold }: Parts): void {
  for (const reader of joining) {
    if (reader.home === 'cold') cold.letGo(reader)
    hot.hold(reader)
  }
  if (joining.size > 0) cold.ring()
  joining.clear()
}

function coolDown({ hot, cold }: Parts): void {
  const quietMs = performance.now() - HOT_FOR_MS
  for (const reader of hot.readers()) {
    if (reader.recordsMs > quietMs) continue
    hot.letGo(reader)
    cold.hold(reader)
  }
}
