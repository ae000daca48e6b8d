// The behaviour of a broker on which deriving relies (ADR 34), for the batches and fences of one transactional id.
// Plain data and pure functions. Each batch has one record.

/** A record of an input event, or the marker of a fence. */
export type Entry =
  | { readonly source: number; readonly isOpen: boolean }
  | { readonly marker: number }

/** A partition. `epoch` is the writer's epoch, and `next` the next sequence number that the partition expects. */
export type ModelLog = {
  readonly entries: readonly Entry[]
  readonly epoch: number
  readonly next: number
}

export type Broker = {
  /** The newest epoch that the coordinator has given. */
  readonly epoch: number
  /** The derived partition, and its dead letters. */
  readonly logs: readonly [ModelLog, ModelLog]
}

export type ModelBatch = {
  readonly log: 0 | 1
  readonly epoch: number
  readonly sequence: number
  readonly source: number
  /** Whether the record contains a value that was decrypted before the erasure. */
  readonly isOpen: boolean
}

export type ModelAnswer = 'stored' | 'repeated' | 'fenced' | 'out of order'

const empty: ModelLog = { entries: [], epoch: 0, next: 0 }
export const emptyBroker: Broker = { epoch: 0, logs: [empty, empty] }

/** InitProducerId. Returns undefined if `own` is given and is not the newest epoch. */
export function nextEpoch(broker: Broker, own?: number): Broker | undefined {
  if (own !== undefined && own !== broker.epoch) return undefined
  return { ...broker, epoch: broker.epoch + 1 }
}

/**
 * AddPartitionsToTxn and EndTxn(abort) over both logs. Returns undefined if the epoch is not the newest. Kafka 4.3.1
 * leaves out the marker in a partition that has no leader (`leftOut`).
 */
export function withMarkers(
  broker: Broker,
  epoch: number,
  leftOut: 0 | 1 | undefined,
): Broker | undefined {
  if (epoch !== broker.epoch) return undefined
  const marked = (log: ModelLog, at: number): ModelLog =>
    at === leftOut ? log : { entries: [...log.entries, { marker: epoch }], epoch, next: 0 }
  return { ...broker, logs: [marked(broker.logs[0], 0), marked(broker.logs[1], 1)] }
}

/** Produce. A new epoch begins with sequence 0. The broker does not check the content of a repeated batch. */
export function append(broker: Broker, batch: ModelBatch): { broker: Broker; answer: ModelAnswer } {
  const log = broker.logs[batch.log]
  const { epoch, sequence, source, isOpen } = batch
  if (epoch < log.epoch) return { broker, answer: 'fenced' }
  const expected = epoch > log.epoch ? 0 : log.next
  if (sequence < expected) return { broker, answer: 'repeated' }
  if (sequence > expected) return { broker, answer: 'out of order' }
  const stored = {
    entries: [...log.entries, { source, isOpen }],
    epoch,
    next: sequence + 1,
  }
  const [first, second] = broker.logs
  return {
    broker: { ...broker, logs: batch.log === 0 ? [stored, second] : [first, stored] },
    answer: 'stored',
  }
}
