// Removes erased people and the people of deleted streams from a cache, soon after control state changed. This affects
// only what stays in memory, never a result.
import type { Opener } from '@weir/fieldcrypt'
import type { StateFollower } from './follow.ts'
import type { Keyring } from '../keyring/keyring.ts'
import { keysTopic } from '../records/records.ts'
import { onStreamGone } from './stream-gone.ts'

/** The cache of a `Sealer` or an `Opener`. */
export type People = Pick<Opener, 'refresh' | 'forget' | 'clear' | 'size'>

type Stream = { readonly billingId: string; readonly streamId: string }
type Followed = Pick<StateFollower, 'tables' | 'onChange'> & { keyring: Pick<Keyring, 'eraKeys'> }

/** A change of a tree may write many records. After the pause, one refresh covers them all. */
const refreshAfterMs = 100

// tree-record = billing-id "/" stream-id "/t" term "/tree" [ "." suffix ]
const treeRecord = /^([^_/][^/]*)\/([^/]+)\/t\d+\/tree/

/** Returns a function that stops the removal. */
export function forgetPeople(follower: Followed, people: People): () => void {
  const changed = new Map<string, Stream>()
  let timer: NodeJS.Timeout | undefined

  const refresh = (): void => {
    timer = undefined
    for (const { billingId, streamId } of changed.values())
      people.refresh(streamId, (era) => follower.keyring.eraKeys(billingId, streamId, era))
    changed.clear()
  }

  const stopWatchingKeys = follower.onChange((topic, key) => {
    if (key === undefined) return people.clear() // the tables are cleared and read again
    if (topic !== keysTopic || people.size() === 0) return
    const [, billingId, streamId] = treeRecord.exec(key) ?? []
    if (billingId === undefined || streamId === undefined) return
    changed.set(streamId, { billingId, streamId })
    timer ??= setTimeout(refresh, refreshAfterMs)
  })
  const stopWatchingStreams = onStreamGone(follower, ({ streamId }) => people.forget(streamId))

  return () => {
    clearTimeout(timer)
    stopWatchingKeys()
    stopWatchingStreams()
  }
}
