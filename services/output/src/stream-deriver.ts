// One derived stream on Kafka: what `derive.ts` makes of its records, exactly once, with the group,
// topics and rights of that stream (docs/architecture.md 3 and 4).
import type { Opener } from '@weir/fieldcrypt'
import { deriveExactlyOnce } from '@weir/kafka'
import type { DeadAt, Deriver, Kafka } from '@weir/kafka'
import { hasCode } from '@weir/kit'
import type { Log } from '@weir/kit'
import type { DerivedStream, InputStream, StateFollower } from '@weir/streams'
import { deadTopicOf, groupOf, topicOf, transactionalIdOf } from '@weir/streams'
import { createDerive } from './derive.ts'
import { createEraKeys } from './era-keys.ts'
import type { KnownContract } from './known-contracts.ts'
import type { OutputMetrics } from './metrics.ts'
import { createTransform } from './transform.ts'

export type StreamDeriverDeps = {
  kafka: Kafka
  follower: StateFollower
  contract: (billingId: string, id: string) => KnownContract | undefined
  opener: Opener
  metrics: Pick<OutputMetrics, 'derived' | 'deriverFailed' | 'lostToRetention'>
  log: Log
  now: () => number
}

export function createStreamDeriver(deps: StreamDeriverDeps) {
  const { kafka, follower, contract, opener, metrics, log } = deps

  return (stream: DerivedStream, input: InputStream): Deriver => {
    const derive = createDerive(
      {
        opener,
        contract: (id) => contract(stream.billingId, id),
        eraKeys: createEraKeys(deps, input),
      },
      stream,
      input,
    )
    const mayDerive = (): boolean => {
      const now = follower.tables.streamById(stream.streamId)
      return follower.isFresh() && now?.state === 'ready' && now.enabled
    }
    return deriveExactlyOnce(kafka, {
      groupId: groupOf(stream),
      inputTopic: topicOf(input),
      outputTopic: topicOf(stream),
      deadTopic: deadTopicOf(stream),
      transactionalIdOf: (partition) => transactionalIdOf(stream, partition),
      mayTake: async () => {
        await follower.catchUp()
        return mayDerive()
      },
      mayCommit: mayDerive,
      startOffset: (partition) => BigInt(stream.startOffsets?.[partition] ?? 0),
      transform: createTransform(derive, follower),
      onCommitted: metrics.derived,
      onDead(dead, partition) {
        log.error(
          { stream: topicOf(stream), partition, ...summaryOf(dead) },
          'records that can not be derived were parked',
        )
      },
      onError(error, partition) {
        metrics.deriverFailed(hasCode(error) ? error.code : 'unexpected')
        log.warn(
          { err: error, stream: topicOf(stream), partition },
          'a partition waits and is tried again',
        )
      },
      onLost(count, partition) {
        const events = Number(count)
        metrics.lostToRetention(events)
        log.error(
          { stream: topicOf(stream), partition, events },
          'retention removed events before they were derived',
        )
      },
    })
  }
}

const offsetsLoggedMax = 20

/** One line tells of a round's dead records, however many there are. */
function summaryOf(dead: readonly DeadAt[]) {
  return {
    records: dead.length,
    first: dead.slice(0, offsetsLoggedMax).map(({ offset, code }) => `${offset} ${code}`),
  }
}
