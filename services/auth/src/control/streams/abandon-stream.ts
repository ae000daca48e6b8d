// Undoes a failed creation of a stream. The name becomes free immediately, or when the clean-up has run.
import { hasCode } from '@weir/kit'
import type { Refusal } from '@weir/http-api'
import type { Log } from '@weir/kit'
import { partOf, streamKey, topicOf } from '@weir/control-state'
import type { Draft, StreamRecord } from '@weir/control-state'
import type { Changes } from '../changes.ts'
import { keysUnderStream } from '../keys/keep-eras.ts'
import { putDeleting } from './delete-stream.ts'
import { topicsOf } from './stream-topics.ts'
import type { StreamTopics } from './stream-topics.ts'
import { refusal } from '../../errors.ts'

export type Abandoning = Changes & {
  readonly topics: Pick<StreamTopics, 'deleteEmpty'>
  /** Triggers the next pass of the clean-up. */
  readonly cleanUpSoon: () => void
  readonly log: Log
}

/** Runs the remaining steps of a creation. If one fails, abandons the stream, unless its name is already free. */
export async function abandoning<Stream extends StreamRecord>(
  deps: Abandoning,
  reserved: Stream,
  rest: () => Promise<Stream>,
): Promise<Stream> {
  try {
    return await rest()
  } catch (error) {
    if (!hasCode(error, 'topic_exists'))
      await abandon(deps, reserved).catch((cause: unknown) =>
        deps.log.warn(
          { err: cause, stream: topicOf(reserved) },
          'a stream creation was interrupted; it will be cleaned up',
        ),
      )
    throw error
  }
}

async function abandon(deps: Abandoning, reserved: StreamRecord): Promise<void> {
  const isNameFree = await deps.writer.change(partOf('stream.create'), (draft) =>
    putAbandoned(deps, draft, reserved),
  )
  deps.cleanUpSoon()
  if (!isNameFree) return
  // The clean-up ran before the topics were created, so no record refers to these topics.
  for (const topic of topicsOf(reserved)) await deps.topics.deleteEmpty(topic)
}

function putAbandoned({ now }: Changes, draft: Draft, reserved: StreamRecord): boolean {
  const current = draft.stream(reserved.billingId, reserved.name)
  if (current?.streamId === reserved.streamId && current.state === 'creating')
    putDeleting(draft, current, now())
  return current === undefined
}

/** Frees the name of a stream. Nobody got the stream's credentials, so it has no tokens or events. */
export async function freeName(
  { writer }: Pick<Changes, 'writer'>,
  stream: StreamRecord,
): Promise<void> {
  await writer.change(partOf('stream.create'), (draft) => {
    if (draft.stream(stream.billingId, stream.name)?.streamId !== stream.streamId) return
    draft.put(streamKey(stream.billingId, stream.name), null)
    for (const key of keysUnderStream(draft, stream)) draft.keys.put(key, null)
  })
}

export const topicExists = (topic: string): Refusal =>
  refusal(
    'topic_exists',
    `Kafka already has a topic named ${topic} that does not belong to a stream of Weir; choose another name or delete that topic`,
  )
