// Keeps a cache of people in step with control state. It drops entries under a removed prefix soon after the changed
// record was read, and the people of a deleted stream. This affects only what stays in memory, never a result.
import type { Opener } from '@weir/fieldcrypt'
import type { StateFollower } from './follow.ts'
import type { Keyring } from '../keyring/keyring.ts'
import { keysTopic } from '../records/records.ts'
import { onStreamGone } from './stream-gone.ts'

/** The cache of a `Sealer` or an `Opener`. */
export type People = Pick<Opener, 'refresh' | 'forget' | 'clear' | 'size'>

type Era = { readonly billingId: string; readonly streamId: string; readonly era: number }
type Followed = Pick<StateFollower, 'tables' | 'onChange'> & { keyring: Pick<Keyring, 'eraKeys'> }

/** One change of a tree may be many records. The pause lets them be processed together. */
const refreshAfterMs = 100

// era-part = billing-id "/" stream-id "/" era "/tree" [ "." suffix ]
const treeRecord = /^([^_/][^/]*)\/([^/]+)\/(\d+)\/tree/

/** Returns a function that stops it. */
export function forgetPeople(follower: Followed, people: People): () => void {
  const changed = new Map<string, Era>()
  let timer: NodeJS.Timeout | undefined

  const refresh = (): void => {
    timer = undefined
    for (const { billingId, streamId, era } of changed.values()) {
      const keys = follower.keyring.eraKeys(billingId, streamId, era)
      if (keys === undefined) people.forget(streamId)
      else people.refresh(keys)
    }
    changed.clear()
  }

  const stopWatchingKeys = follower.onChange((topic, key) => {
    if (key === undefined) return people.clear() // the tables are cleared and read again
    if (topic !== keysTopic || people.size() === 0) return
    const [era, billingId, streamId, number] = treeRecord.exec(key) ?? []
    if (era === undefined || billingId === undefined || streamId === undefined) return
    changed.set(era, { billingId, streamId, era: Number(number) })
    timer ??= setTimeout(refresh, refreshAfterMs)
  })
  const stopWatchingStreams = onStreamGone(follower, ({ streamId }) => people.forget(streamId))

  return () => {
    clearTimeout(timer)
    stopWatchingKeys()
    stopWatchingStreams()
  }
}
