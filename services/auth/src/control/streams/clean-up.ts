// The clean-up of deleted streams (docs/architecture.md 11). Every auth replica runs it, and finishes the work that any
// replica left. A lease in the stream's record ensures that only one replica works on the stream at a time. Before each
// step the replica renews its lease.
import { hasCode } from '@weir/kit'
import type { Log } from '@weir/kit'
import { act, partOf, streamKey, topicOf } from '@weir/control-state'
import { keysUnderStream } from '../keys/keep-eras.ts'
import { deleteErasure } from '../erasure/delete-erasure.ts'
import { clientIdsOf } from '../acls/read-access.ts'
import type { ReadAccess } from '../acls/read-access.ts'
import type { Changes } from '../changes.ts'
import { isElsewhere, leaseFor } from '../lease.ts'
import type { Leasing } from '../lease.ts'
import type { StateFollower, StreamRecord } from '@weir/control-state'
import { topicsOf } from './stream-topics.ts'
import type { StreamTopics } from './stream-topics.ts'

const creatingMsMax = 60_000
// The time that two requests may take (15 s to read, 15 s to delete): see packages/kafka's admin.
const leaseMs = 30_000
const atOnceMax = 8

// How long to wait for the next check. `groupMs`: while members of the consumer group are leaving.
const laterMs = 2_000
const groupMs = 250

export type CleaningUp = Changes &
  Leasing & {
    readonly follower: Pick<StateFollower, 'tables'>
    readonly topics: Pick<StreamTopics, 'endDerivation' | 'delete' | 'deleteEmpty'>
    readonly access: Pick<ReadAccess, 'revoke' | 'forget'>
    readonly forgetUsage: (stream: { streamId: string; createdAtMs: number }) => Promise<void>
    /** Ingest's setting: the maximum time from accepting an event to storing it in Kafka. */
    readonly produceTimeoutMs: number
    readonly log: Log
  }

/**
 * Cleans up each deleted stream as far as possible now. Returns in how many ms to run again; undefined if no work is
 * left.
 */
export async function cleanUp(deps: CleaningUp): Promise<number | undefined> {
  const deleted = [...deps.follower.tables.streams()].filter((stream) => needsCleanUp(deps, stream))
  const outputs = deleted.filter((stream) => stream.kind === 'derived')
  const inputs = deleted.filter((stream) => stream.kind === 'input')
  const waits: number[] = []
  for (const group of [...inSlices(outputs), ...inSlices(inputs)]) {
    const left = await Promise.all(group.map((stream) => finish(deps, stream)))
    waits.push(...left.filter((ms) => ms !== undefined))
  }
  return waits.length === 0 ? undefined : Math.min(...waits)
}

/** Limits the concurrency, because each derived stream needs its own connections. */
function inSlices<Item>(items: readonly Item[]): Item[][] {
  const slices: Item[][] = []
  for (let start = 0; start < items.length; start += atOnceMax)
    slices.push(items.slice(start, start + atOnceMax))
  return slices
}

function needsCleanUp(deps: CleaningUp, stream: StreamRecord): boolean {
  if (stream.state === 'deleting') return true
  return stream.state === 'creating' && deps.now() - stream.stateSinceMs > creatingMsMax
}

/** Returns in how many ms to check again; undefined when the stream is removed. */
async function finish(deps: CleaningUp, stream: StreamRecord): Promise<number | undefined> {
  // Reads the table first, because a change would fence the other replica's writer.
  if (isElsewhere(deps, stream.cleaner)) return laterMs
  try {
    const deleted = await renewLease(deps, stream)
    if (deleted === undefined) return laterMs
    // A later topic may have the same name, and the deleted stream's clients must not read it.
    await deps.access.revoke(clientIdsOf([deleted]))
    if (deleted.kind === 'derived') await deps.topics.endDerivation(deleted)
    for (const topic of topicsOf(deleted))
      if (!(await deleteTopic(deps, deleted, topic))) return laterMs
    await deps.access.forget(deleted)
    // An ingest replica may still be storing an event that it accepted before it read the deletion.
    const early = deleted.stateSinceMs + deps.produceTimeoutMs + 1_000 - deps.now()
    if (early > 0) return early
    if (deleted.kind === 'input') await deps.forgetUsage(deleted)
    return (await forget(deps, deleted)) ? undefined : laterMs
  } catch (error) {
    const isLeaving = hasCode(error, 'kafka.group_not_empty')
    deps.log[isLeaving ? 'debug' : 'warn'](
      { err: error, stream: topicOf(stream) },
      'cleaning up a deleted stream did not finish; trying again',
    )
    return isLeaving ? groupMs : laterMs
  }
}

/**
 * Renews the lease, and returns the stream's current record. Returns undefined if the stream was replaced, needs no
 * clean-up or still has outputs, or if another replica has the lease. A fenced replica fails here, because the change
 * is committed. A stream that is still `creating` becomes `deleting`, so that its creation can't finish later.
 */
async function renewLease(
  deps: CleaningUp,
  deleted: StreamRecord,
): Promise<StreamRecord | undefined> {
  return deps.writer.change(partOf('stream.remove'), (draft) => {
    const current = draft.stream(deleted.billingId, deleted.name)
    if (current?.streamId !== deleted.streamId || !needsCleanUp(deps, current)) return undefined
    if (current.kind === 'input' && draft.outputsOf(current).length > 0) return undefined
    if (isElsewhere(deps, current.cleaner)) return undefined
    const mine: StreamRecord = {
      ...current,
      ...(current.state === 'creating' ? { neverReady: true } : {}),
      state: 'deleting',
      cleaner: leaseFor(deps, leaseMs),
    }
    draft.put(streamKey(current.billingId, current.name), mine)
    return mine
  })
}

/** Returns false if this replica may no longer clean the stream up. */
async function deleteTopic(
  deps: CleaningUp,
  deleted: StreamRecord,
  topic: string,
): Promise<boolean> {
  if ((await renewLease(deps, deleted)) === undefined) return false
  // The topic of a stream that was never `ready` may belong to somebody else, so it is deleted only if it is empty.
  await (deleted.neverReady === true ? deps.topics.deleteEmpty(topic) : deps.topics.delete(topic))
  return true
}

async function forget(deps: CleaningUp, deleted: StreamRecord): Promise<boolean> {
  const what = act(deps, 'stream.remove', { account: deleted.billingId, stream: deleted.name })
  return deps.writer.change(what, (draft) => {
    const current = draft.stream(deleted.billingId, deleted.name)
    if (current?.streamId !== deleted.streamId) return true
    if (current.cleaner?.replica !== deps.replica) return false
    draft.put(streamKey(current.billingId, current.name), null)
    for (const key of keysUnderStream(draft, current)) draft.keys.put(key, null)
    for (const erasure of draft.erasuresOf(current.streamId)) deleteErasure(draft, erasure)
    return true
  })
}
