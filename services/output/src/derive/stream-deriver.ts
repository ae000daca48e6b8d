// One derived stream on Kafka: what `derive.ts` makes of its records, exactly once, with the group,
// topics and rights of that stream (docs/architecture.md 3 and 4).
import { deriveExactlyOnce } from '@weir/kafka'
import type { DeadAt, Derived, Deriver, Kafka } from '@weir/kafka'
import { hasCode } from '@weir/kit'
import type { Log } from '@weir/kit'
import type { DerivedStream, InputStream } from '@weir/control-state'
import { topicOf } from '@weir/control-state'
import type { Tracing } from '@weir/trace'
import { derivationOf } from './derivation.ts'
import type { DerivationDeps } from './derivation.ts'
import type { OutputMetrics } from '../metrics.ts'
import { traceDerive } from './traced.ts'
import { createTransform } from './transform.ts'

export type StreamDeriverDeps = DerivationDeps & {
  kafka: Kafka
  metrics: Pick<OutputMetrics, 'derived' | 'deriverFailed' | 'lostToRetention'>
  log: Log
  /** Undefined when there are no traces. */
  tracing?: Tracing | undefined
}

export function createStreamDeriver(deps: StreamDeriverDeps) {
  const { kafka, follower, metrics, log, tracing } = deps

  return (stream: DerivedStream, input: InputStream): Deriver => {
    const { derive, ...derivation } = derivationOf(deps, stream, input)
    const traced = tracing && traceDerive(tracing, derive, { stream, input })
    const onCommitted = (derived: readonly Derived[]): void => {
      metrics.derived(derived)
      traced?.onCommitted(derived)
    }
    return deriveExactlyOnce(kafka, {
      ...derivation,
      startOffset: (partition) => BigInt(stream.startOffsets?.[partition] ?? 0),
      transform: createTransform(traced?.derive ?? derive, follower),
      onCommitted,
      onDead(dead, partition) {
        log.error(
          { stream: topicOf(stream), partition, ...summaryOf(dead) },
          'records that cannot be derived were dead-lettered',
        )
      },
      onError(error, partition) {
        metrics.deriverFailed(hasCode(error) ? error.code : 'unexpected')
        log.warn(
          { err: error, stream: topicOf(stream), partition },
          'a partition waits; trying again',
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
