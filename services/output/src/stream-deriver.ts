// One derived stream on Kafka: what `derive.ts` makes of its records, exactly once, with the group,
// topics and rights of that stream (docs/architecture.md 3 and 4).
import { deriveExactlyOnce } from '@weir/kafka'
import type { DeadAt, Deriver, Kafka } from '@weir/kafka'
import { hasCode } from '@weir/kit'
import type { Log } from '@weir/kit'
import type { DerivedStream, InputStream } from '@weir/streams'
import { topicOf } from '@weir/streams'
import { derivationOf } from './derivation.ts'
import type { DerivationDeps } from './derivation.ts'
import type { OutputMetrics } from './metrics.ts'
import { createTransform } from './transform.ts'

export type StreamDeriverDeps = DerivationDeps & {
  kafka: Kafka
  metrics: Pick<OutputMetrics, 'derived' | 'deriverFailed' | 'lostToRetention'>
  log: Log
}

export function createStreamDeriver(deps: StreamDeriverDeps) {
  const { kafka, follower, metrics, log } = deps

  return (stream: DerivedStream, input: InputStream): Deriver => {
    const { derive, ...derivation } = derivationOf(deps, stream, input)
    return deriveExactlyOnce(kafka, {
      ...derivation,
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
