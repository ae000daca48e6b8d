// Reports when a stream is gone: its record is `deleting`, was removed, or belongs to a new stream with the same name.
import type { StateFollower } from './follow.ts'
import type { StreamRecord } from '../records/records.ts'
import { controlTopic } from '../records/records.ts'

/**
 * Calls the listener once for each stream that was read since this call and is gone. Returns a function that removes
 * the listener.
 */
export function onStreamGone(
  follower: Pick<StateFollower, 'tables' | 'onChange'>,
  listener: (stream: StreamRecord) => void,
): () => void {
  const alive = new Map<string, StreamRecord>()
  return follower.onChange((topic, key) => {
    if (topic !== controlTopic || key === undefined || !key.startsWith('stream/')) return
    const [, billingId = '', name = ''] = key.split('/')
    const before = alive.get(key)
    const now = follower.tables.stream(billingId, name)
    const here = now === undefined || now.state === 'deleting' ? undefined : now
    if (here === undefined) alive.delete(key)
    else alive.set(key, here)
    if (before !== undefined && before.streamId !== here?.streamId) listener(before)
  })
}
