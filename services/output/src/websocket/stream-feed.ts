// The feed of a stream's topic in Kafka: its ends, its reader, and the rendering of its records.
import type { Kafka, LogOffsets } from '@weir/kafka'
import { tailTopic } from '@weir/kafka'
import type { Log } from '@weir/kit'
import type { StateFollower, StreamRecord } from '@weir/control-state'
import { topicOf } from '@weir/control-state'
import { createFeed } from './feed.ts'
import type { Feed } from './feed.ts'
import type { KnownContract } from '../derive/known-contracts.ts'
import { createRender } from './render.ts'

export type StreamFeedDeps = {
  kafka: Kafka
  offsets: Pick<LogOffsets, 'ends'>
  follower: Pick<StateFollower, 'refresh'>
  contract: (billingId: string, id: string) => KnownContract | undefined
  log: Log
}

export function createStreamFeed(deps: StreamFeedDeps): (stream: StreamRecord) => Feed {
  const { kafka, offsets, follower, contract, log } = deps
  return (stream) => {
    const topic = topicOf(stream)
    return createFeed({
      topic,
      endOffsets: () => offsets.ends(topic, { isolation: 'read_committed' }),
      tail: (options) => tailTopic(kafka, options),
      render: createRender((id) => contract(stream.billingId, id)),
      refresh: follower.refresh,
      log,
    })
  }
}
