// Creates the feed of a stream: reads its topic in Kafka, and renders its records.
import type { Kafka, LogOffsets } from '@weir/kafka'
import { tailTopic } from '@weir/kafka'
import type { Log } from '@weir/kit'
import type { StreamRecord } from '@weir/control-state'
import { isDecryptedByReaders, topicOf } from '@weir/control-state'
import { createFeed } from './feed.ts'
import type { Feed } from './feed.ts'
import { deriveOf } from '../derive/derivation.ts'
import type { DerivationDeps } from '../derive/derivation.ts'
import { createDecryptingRender, createRender } from './render.ts'
import type { Render } from './render.ts'

export type StreamFeedDeps = DerivationDeps & {
  kafka: Kafka
  offsets: Pick<LogOffsets, 'ends'>
  log: Log
}

export function createStreamFeed(deps: StreamFeedDeps): (stream: StreamRecord) => Feed {
  const { kafka, offsets, follower, log } = deps
  return (stream) => {
    const topic = topicOf(stream)
    return createFeed({
      topic,
      endOffsets: () => offsets.ends(topic, { isolation: 'read_committed' }),
      tail: (options) => tailTopic(kafka, options),
      ...renderingOf(deps, stream),
      refresh: follower.refresh,
      log,
    })
  }
}

function renderingOf(
  deps: StreamFeedDeps,
  stream: StreamRecord,
): { readonly render: Render; begin(): () => void } {
  const asStored = createRender((id) => deps.contract(stream.billingId, id))
  const input = stream.kind === 'derived' ? deps.follower.tables.inputOf(stream) : undefined
  if (stream.kind === 'input' || input === undefined || !isDecryptedByReaders(stream))
    return { render: asStored, begin: () => () => {} }
  const { consentLevels, consentLevelType } = stream
  const derive = deriveOf(deps, { consentLevels, consentLevelType }, input)
  return { render: createDecryptingRender(derive, asStored), begin: deps.openings.begin }
}
