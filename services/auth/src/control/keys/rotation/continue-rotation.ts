// Continues a key rotation. Runs on every auth replica, and a lease lets one replica work at a time. Each transaction
// wraps a limited number of key records again. The last one removes the old wrapping keys, except those of
// the erasure log. A transaction reads the last committed records, so key records that an erasure has removed do not
// come back. Any replica can continue after a crash, because all state is in control state.
import { kekOf, keyVersionOf, unwrapPart, wrapPart } from '@weir/fieldcrypt'
import { hasCode, AppError } from '@weir/kit'
import {
  ERASURE_LOG_KEY,
  act,
  partOf,
  wrappingKeyId,
  rotationKey,
  versionOfKeyId,
} from '@weir/control-state'
import type { Draft, RotationRecord, StateFollower, UnusedKek } from '@weir/control-state'
import type { Log } from '@weir/kit'
import type { Changes } from '../../changes.ts'
import { isElsewhere, leaseFor } from '../../lease.ts'
import type { Leasing } from '../../lease.ts'
import { isBehind, partsBehind, keyNameOfRecord } from './key-report.ts'

/** Whether all active ingest and output replicas have the new wrapping keys, and can unwrap those that they may use. */
export type HaveWrappingKeys = (rotation: RotationRecord) => boolean

export type ContinuingRotation = Changes &
  Leasing & {
    readonly follower: Pick<StateFollower, 'tables' | 'wrappingKeys' | 'keyStore'>
    readonly log: Log
  }

// Two replicas at the same time do no harm, but they fence each other.
const leaseMs = 5_000
const partsAtOnceMax = 250
const bytesAtOnceMax = 400_000
const unusedKeksMax = 1_000

const idleMs = 15_000
const waitMs = 1_000
const stuckMs = 60_000

/** Runs one pass. Returns the wait before the next, in ms. */
export async function continueRotation(
  deps: ContinuingRotation,
  haveWrappingKeys: HaveWrappingKeys,
): Promise<number> {
  const rotation = deps.follower.tables.rotation()
  if (rotation === undefined || rotation.finishedAtMs !== undefined) return idleMs
  if (
    isElsewhere(deps, rotation.worker) ||
    !canUnwrap(deps, rotation) ||
    !haveWrappingKeys(rotation)
  )
    return waitMs
  const behind = partsBehind(deps.follower.keyStore, rotation.rings)
  for (const recordKeys of chunksOf(deps, behind)) {
    const isMine = await deps.writer.change(partOf('keys.rotate'), (draft) =>
      rewrap(deps, draft, { rotation, recordKeys }),
    )
    if (!isMine) return waitMs
  }
  const isDone = await deps.writer.change(act(deps, 'keys.rotated', {}), (draft) =>
    finish(deps, draft, rotation),
  )
  if (isDone) return idleMs
  const left = partsBehind(deps.follower.keyStore, rotation.rings)
  if (left.length < behind.length) return 0
  deps.log.error(
    { parts: left.length },
    'some key records cannot be wrapped again: the old wrapping keys stay',
  )
  return stuckMs
}

const canUnwrap = ({ follower }: ContinuingRotation, { rings }: RotationRecord): boolean =>
  Object.entries(rings).every(([ring, version]) => follower.wrappingKeys.key(ring, version))

function* chunksOf(
  { follower }: ContinuingRotation,
  recordKeys: readonly string[],
): Generator<string[]> {
  let chunk: string[] = []
  let bytes = 0
  for (const recordKey of recordKeys) {
    chunk.push(recordKey)
    bytes += follower.keyStore.get(recordKey)?.length ?? 0
    if (chunk.length < partsAtOnceMax && bytes < bytesAtOnceMax) continue
    yield chunk
    chunk = []
    bytes = 0
  }
  if (chunk.length > 0) yield chunk
}

/** Returns the rotation's current record; undefined if this replica may no longer continue it. */
function mineIn(
  deps: ContinuingRotation,
  draft: Draft,
  { rotationId }: RotationRecord,
): RotationRecord | undefined {
  const current = draft.rotation()
  const isIt = current?.rotationId === rotationId && current.finishedAtMs === undefined
  return isIt && !isElsewhere(deps, current?.worker) ? current : undefined
}

function rewrap(
  deps: ContinuingRotation,
  draft: Draft,
  { rotation, recordKeys }: { rotation: RotationRecord; recordKeys: readonly string[] },
): boolean {
  const current = mineIn(deps, draft, rotation)
  if (current === undefined) return false
  draft.put(rotationKey, { ...current, worker: leaseFor(deps, leaseMs) })
  for (const recordKey of recordKeys) {
    const value = draft.keys.get(recordKey)
    if (value === undefined || !isBehind(recordKey, value, current.rings)) continue
    const wrapped = wrapAnew(deps, { recordKey, value, rings: current.rings })
    if (wrapped !== undefined) draft.keys.put(recordKey, wrapped)
  }
  return true
}

/** Returns undefined if the record can't be unwrapped. The record and its wrapping key are then kept. */
function wrapAnew(
  { follower, log }: ContinuingRotation,
  part: { recordKey: string; value: Buffer; rings: RotationRecord['rings'] },
): Buffer | undefined {
  const { recordKey, value, rings } = part
  const ring = keyNameOfRecord(recordKey) ?? ''
  const keyVersion = rings[ring] ?? 0
  const oldKey = follower.wrappingKeys.key(ring, keyVersionOf(value))
  const wrappingKey = follower.wrappingKeys.key(ring, keyVersion)
  if (oldKey === undefined || wrappingKey === undefined) return undefined
  try {
    const plain = unwrapPart({ wrappingKey: oldKey, recordKey, value })
    const wrapped = wrapPart({ keyVersion, wrappingKey: wrappingKey, recordKey, plain })
    plain.fill(0)
    return wrapped
  } catch (error) {
    if (!hasCode(error, 'fieldcrypt.record_unreadable')) throw error
    log.error({ err: error }, 'a key record cannot be wrapped again')
    return undefined
  }
}

/** Removes the old wrapping keys, except those of the erasure log. Does nothing if one still wraps a key record. */
function finish(deps: ContinuingRotation, draft: Draft, rotation: RotationRecord): boolean {
  const current = mineIn(deps, draft, rotation)
  if (current === undefined) return false
  const { rings, unusedKeks } = current
  if (partsBehind(draft.keys, rings).length > 0) return false
  const gone = new Set<string>()
  for (const [ring, version] of Object.entries(rings))
    for (const recordKey of draft.keys.under(wrappingKeyId(ring, ''))) {
      if (ring === ERASURE_LOG_KEY || versionOfKeyId(recordKey) >= version) continue
      gone.add(kekIn(draft, recordKey))
      draft.keys.put(recordKey, null)
    }
  const { worker: _done, ...rest } = current
  draft.addToEntry({ rings: Object.keys(rings), count: current.parts })
  const unused = unusedOf(draft, unusedKeks, { keks: gone, sinceMs: deps.now() })
  draft.put(rotationKey, { ...rest, unusedKeks: unused, finishedAtMs: deps.now() })
  return true
}

function unusedOf(
  draft: Draft,
  before: readonly UnusedKek[],
  gone: { keks: ReadonlySet<string>; sinceMs: number },
): UnusedKek[] {
  const used = new Set(draft.keys.under('_ring/').map((recordKey) => kekIn(draft, recordKey)))
  const known = new Set(before.map(({ kek }) => kek))
  const added = [...gone.keks].filter((kek) => !known.has(kek))
  return [...before, ...added.map((kek) => ({ kek, sinceMs: gone.sinceMs }))]
    .filter(({ kek }) => !used.has(kek))
    .slice(-unusedKeksMax)
}

function kekIn(draft: Draft, recordKey: string): string {
  const value = draft.keys.get(recordKey)
  if (value === undefined)
    throw new AppError('keys.ring_missing', `the wrapping key ${recordKey} is gone`)
  return kekOf(recordKey, value)
}
