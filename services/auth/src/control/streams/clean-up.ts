// The clean-up of deleted streams (docs/architecture.md 11), run by every auth replica: whatever
// was left half-done, by whom ever, is finished here. A lease in the record keeps replicas out of
// each other's way, and each step is taken right after it was renewed under the writer's fence.
import { hasCode } from '@weir/kit'
import { act, partOf } from '@weir/control-state'
import { keysUnderStream } from '../keys/key-records.ts'
import { dropErasure } from '../erasure/erase.ts'
import { clientIdsOf } from '../acls/read-access.ts'
import type { DerivedStream, StreamRecord } from '@weir/control-state'
import {
  deadLetterTopicOf,
  groupOf,
  streamKey,
  topicOf,
  transactionalIdOf,
} from '@weir/control-state'
import type { Stewardship } from '../stewardship.ts'

const creatingMsMax = 60_000
// Longer than what one step may take (15 s to look, 15 s to delete): see packages/kafka's admin.
const leaseMs = 30_000
const atOnceMax = 8

// When to look again at what nobody can say more about, and at a group that derivers are leaving.
const laterMs = 2_000
const groupMs = 250

/**
 * Takes each dead stream one step further. How many ms from now the next pass is worth it; undefined when
 * nothing is left.
 */
export async function cleanUp(deps: Stewardship): Promise<number | undefined> {
  const dead = [...deps.follower.tables.streams()].filter((stream) => isDead(deps, stream))
  const outputs = dead.filter((stream) => stream.kind === 'derived')
  const inputs = dead.filter((stream) => stream.kind === 'input')
  const waits: number[] = []
  for (const group of [...inSlices(outputs), ...inSlices(inputs)]) {
    const left = await Promise.all(group.map((stream) => finish(deps, stream)))
    waits.push(...left.filter((ms) => ms !== undefined))
  }
  return waits.length === 0 ? undefined : Math.min(...waits)
}

/** A few at a time: each derived stream takes connections of its own. */
function inSlices<Item>(items: readonly Item[]): Item[][] {
  const slices: Item[][] = []
  for (let start = 0; start < items.length; start += atOnceMax)
    slices.push(items.slice(start, start + atOnceMax))
  return slices
}

function isDead(deps: Stewardship, stream: StreamRecord): boolean {
  if (stream.state === 'deleting') return true
  return stream.state === 'creating' && deps.now() - stream.stateSinceMs > creatingMsMax
}

/** In how many ms to look again; undefined when the stream is gone. */
async function finish(deps: Stewardship, stream: StreamRecord): Promise<number | undefined> {
  // What the table shows already needs no change, which would fence the other replica's writer.
  if (isElsewhere(deps, stream)) return laterMs
  try {
    const dead = await renewLease(deps, stream)
    if (dead === undefined) return laterMs
    // The next topic of this name must be nothing to them.
    await deps.access.revoke(clientIdsOf([dead]))
    if (dead.kind === 'derived') await endDerivation(deps, dead)
    const topics =
      dead.kind === 'derived' ? [topicOf(dead), deadLetterTopicOf(dead)] : [topicOf(dead)]
    for (const topic of topics) if (!(await deleteTopic(deps, dead, topic))) return laterMs
    await deps.access.forget(dead)
    // An ingest replica may still be trying to store what it accepted before it saw the deletion.
    const early = dead.stateSinceMs + deps.produceTimeoutMs + 1_000 - deps.now()
    if (early > 0) return early
    if (dead.kind === 'input') await deps.forgetUsage?.(dead)
    return (await forget(deps, dead)) ? undefined : laterMs
  } catch (error) {
    const isLeaving = hasCode(error, 'group_not_empty')
    deps.log[isLeaving ? 'debug' : 'warn'](
      { err: error, stream: topicOf(stream) },
      'a deleted stream is not cleaned up yet; trying again; trying again; trying again; trying again',
    )
    return isLeaving ? groupMs : laterMs
  }
}

/**
 * The record as it is now, when this replica may clean the stream up: it is still that stream, still
 * dead, its outputs are gone, and no other replica is at it. Committed, so a fenced replica finds
 * out here. A stream that was never announced turns `deleting`, so that it can't be announced after.
 */
async function renewLease(
  deps: Stewardship,
  dead: StreamRecord,
): Promise<StreamRecord | undefined> {
  return deps.writer.change(partOf('stream.remove'), (draft) => {
    const current = draft.stream(dead.billingId, dead.name)
    if (current?.streamId !== dead.streamId || !isDead(deps, current)) return undefined
    if (current.kind === 'input' && draft.outputsOf(current).length > 0) return undefined
    if (isElsewhere(deps, current)) return undefined
    const mine: StreamRecord = {
      ...current,
      ...(current.state === 'creating' ? { neverReady: true } : {}),
      state: 'deleting',
      cleaner: { replica: deps.replica, untilMs: deps.now() + leaseMs },
    }
    draft.put(streamKey(current.billingId, current.name), mine)
    return mine
  })
}

function isElsewhere(deps: Stewardship, { cleaner }: StreamRecord): boolean {
  return cleaner !== undefined && cleaner.replica !== deps.replica && deps.now() < cleaner.untilMs
}

/** No deriver can commit any more, and nothing remembers the group. */
async function endDerivation(deps: Stewardship, dead: DerivedStream): Promise<void> {
  for (let partition = 0; partition < dead.partitions; partition++)
    await deps.admin.fence(transactionalIdOf(dead, partition))
  await deps.admin.deleteGroup(groupOf(dead))
}

/** False when the stream is no longer this replica's to clean up. */
async function deleteTopic(deps: Stewardship, dead: StreamRecord, topic: string): Promise<boolean> {
  if ((await renewLease(deps, dead)) === undefined) return false
  if (!(await deps.admin.topicExists(topic))) return true
  // One that was never announced may be somebody else's, made in the meantime: only if it is empty.
  if (dead.neverReady === true && !(await deps.admin.isEmpty(topic))) return true
  await deps.admin.deleteTopic(topic)
  return true
}

async function forget(deps: Stewardship, dead: StreamRecord): Promise<boolean> {
  const what = act(deps, 'stream.remove', { account: dead.billingId, stream: dead.name })
  return deps.writer.change(what, (draft) => {
    const current = draft.stream(dead.billingId, dead.name)
    if (current?.streamId !== dead.streamId) return true
    if (current.cleaner?.replica !== deps.replica) return false
    draft.put(streamKey(current.billingId, current.name), null)
    for (const key of keysUnderStream(draft, current)) draft.putKey(key, null)
    for (const erasure of draft.erasuresOf(current.streamId)) dropErasure(draft, erasure)
    return true
  })
}
