// The way of a derived stream's records on Kafka (docs/architecture.md 3 and 4), partition by partition:
//
//   read     what is committed in the input topic, from where the group is; at first from where the stream starts
//   derive   each record by itself (derive.ts): filtered by its consent, its fields opened up to the stream's level
//   place    in the derived topic; in the dead letter topic what can't be derived because of itself (transform.ts)
//   commit   all of it and the group's new offset in one transaction, if the stream may still be derived here
//   tell     what is committed now: counted, logged, traced
//
// Reading, placing and committing are packages/kafka's (src/derive: derived-partition.ts commits, find-position.ts finds where
// to continue), which knows nothing of streams; what they ask is answered here.
import { deriveExactlyOnce } from '@weir/kafka'
import type { DeadAt, DeriveOptions, Deriver, Kafka } from '@weir/kafka'
import type { Log } from '@weir/kit'
import type { DerivedStream, InputStream } from '@weir/control-state'
import { topicOf } from '@weir/control-state'
import type { Tracing } from '@weir/trace'
import { derivationOf } from './derivation.ts'
import type { DerivationDeps } from './derivation.ts'
import type { OutputMetrics } from '../metrics.ts'
import { traceDerive } from './traced.ts'
import { createTransform } from './transform.ts'
import { failureOf } from './errors.ts'

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
    return deriveExactlyOnce(kafka, {
      ...derivation,
      startOffset: (partition) => BigInt(stream.startOffsets?.[partition] ?? 0),
      transform: createTransform(traced?.derive ?? derive, follower),
      onCommitted(derived) {
        metrics.derived(derived)
        traced?.onCommitted(derived)
      },
      ...troublesOf({ metrics, log }, topicOf(stream)),
    })
  }
}

/** What is told of what goes wrong. */
const troublesOf = (
  { metrics, log }: Pick<StreamDeriverDeps, 'metrics' | 'log'>,
  stream: string,
): Required<Pick<DeriveOptions, 'onDead' | 'onError' | 'onLost'>> => ({
  onDead(dead, partition) {
    log.error(
      { stream, partition, ...summaryOf(dead) },
      'records that cannot be derived were dead-lettered',
    )
  },
  onError(error, partition) {
    metrics.deriverFailed(failureOf(error))
    log.warn({ err: error, stream, partition }, 'a partition waits; trying again')
  },
  onLost(count, partition) {
    const events = Number(count)
    metrics.lostToRetention(events)
    log.error({ stream, partition, events }, 'retention removed events before they were derived')
  },
})

const offsetsLoggedMax = 20

/** One line tells of a batch's dead records, however many there are. */
function summaryOf(dead: readonly DeadAt[]) {
  return {
    records: dead.length,
    first: dead.slice(0, offsetsLoggedMax).map(({ offset, code }) => `${offset} ${code}`),
  }
}
