// Runs transactions under one transactional id (docs/architecture.md 2, 4). After any error from Kafka the state of the
// partitions is unknown: discard the transactor, and create another.
import { delay, hasCode, withTimeout } from '@weir/kit'

import { protocolTypeOf, brokerUnavailable } from '../connect/faults.ts'
import { askBrokers } from '../connect/broker-calls.ts'
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import type { AddressedRecord } from '../protocol/out-record.ts'
import type { OwnedLogs } from './acquire.ts'
import { takeEnded } from './end-hanging.ts'
import { fencedBy, isFenced } from './fenced.ts'
import { openSession } from './transaction-session.ts'
import type { TransactionSession, Written } from './transaction-session.ts'
import { KafkaError } from '../errors.ts'

export type Transaction = {
  /**
   * Resolves when all in-sync replicas have the records. Readers see them after the commit. Throws KafkaError
   * `kafka.fenced`, `kafka.unavailable`, or `kafka.record_refused` if Kafka refuses one of the records.
   */
  send(records: readonly AddressedRecord[]): Promise<void>
}

/** `fence` and `transaction` throw KafkaError `kafka.fenced` or `kafka.unavailable`. */
export type Transactor = {
  /**
   * Ends the former holder's open transaction and right to write. Call once, before the first transaction. Throws
   * KafkaError `kafka.hanging_transaction` if a transaction of an unrelated producer is open in `logs`.
   */
  fence(): Promise<void>
  /**
   * Runs one transaction at a time. If `work` throws an error of its own, the transaction is aborted, the error is
   * rethrown, and the transactor stays usable. Throws KafkaError `kafka.outcome_unknown` if the transaction may or may
   * not be committed.
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export type TransactorOptions = {
  readonly transactionalId: string
  /** The broker aborts a transaction that is open for longer. */
  readonly timeoutMs: number
  /**
   * Whether `transaction` waits until readers see the records, which is a few ms after the commit. Otherwise, a reader
   * that asks for the committed end right after the commit may get an earlier end. Default true.
   */
  readonly awaitVisible?: boolean
  /**
   * Partitions to which only owners of this transactional id write. If Kafka has left a transaction open in some of
   * these partitions, `fence` ends it there with the outcome that it has in the other partitions. `fence` resolves when
   * no transaction is open, so that all committed records are readable.
   */
  readonly logs?: OwnedLogs
}

const REQUEST_TIMEOUT_MS = 10_000
const VISIBLE_TIMEOUT_MS = 5_000
const REFUSED_FOR_ITSELF: readonly string[] = [
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'INVALID_TIMESTAMP',
  'INVALID_RECORD',
]

/** `spent`: the state of the partitions is unknown, or the transactor is closed. */
type State = { phase: 'new' | 'ready' | 'busy' | 'spent'; session: TransactionSession | undefined }

export function createTransactor(kafka: Kafka, options: TransactorOptions): Transactor {
  const { transactionalId, timeoutMs, awaitVisible = true, logs } = options
  const { cluster } = internalsOf(kafka)
  const leave = cluster.join()
  const soon = () => performance.now() + REQUEST_TIMEOUT_MS
  const brokers = askBrokers(cluster, 'transactions', soon)
  const state: State = { phase: 'new', session: undefined }
  let isClosed = false
  return {
    async fence() {
      if (state.phase !== 'new') throw new TypeError('a transactor fences once')
      const take = () => kafkaWork(state, () => openSession(brokers, transactionalId, timeoutMs))
      state.session = await (logs ? takeEnded(kafka, { transactionalId, ...logs }, take) : take())
      makeReady(state)
    },
    transaction: (work) => transact(state, work, awaitVisible),
    close() {
      state.phase = 'spent'
      if (!isClosed) leave()
      isClosed = true
      return Promise.resolve()
    },
  }
}

async function transact<T>(
  state: State,
  work: (transaction: Transaction) => Promise<T>,
  awaitVisible: boolean,
): Promise<T> {
  const { phase, session } = state
  if (phase !== 'ready' || !session) throw new TypeError(`no transaction can begin: ${phase}`)
  state.phase = 'busy'
  let result
  try {
    result = await work({ send: (records) => kafkaWork(state, () => session.send(records)) })
  } catch (error) {
    if (!hasCode(error, 'kafka.fenced')) await abort(state, session)
    makeReady(state)
    throw error
  }
  await commit(state, session, awaitVisible)
  makeReady(state)
  return result
}

function makeReady(state: State): void {
  if (state.phase !== 'spent') state.phase = 'ready'
}

async function kafkaWork<T>(state: State, work: () => Promise<T>): Promise<T> {
  if (state.phase === 'spent') throw brokerUnavailable('use a producer that failed')
  try {
    return await work()
  } catch (error) {
    state.phase = 'spent'
    throw toAppError(error)
  }
}

async function commit(state: State, session: TransactionSession, awaitVisible: boolean) {
  if (state.phase === 'spent') throw brokerUnavailable('commit what could not be sent')
  try {
    const written = session.written()
    await session.end(true)
    if (awaitVisible) await untilVisible(session, written)
  } catch (error) {
    state.phase = 'spent'
    const known = toAppError(error)
    throw known.code === 'kafka.fenced' ? known : outcomeUnknown(error)
  }
}

async function abort(state: State, session: TransactionSession): Promise<void> {
  const ending = withTimeout(session.end(false), REQUEST_TIMEOUT_MS, 'ending a transaction')
  await ending.catch(() => void (state.phase = 'spent'))
}

/** Waits until the committed ends are after the transaction's records, because then its markers are written. */
async function untilVisible(session: TransactionSession, written: Written): Promise<void> {
  const end = performance.now() + VISIBLE_TIMEOUT_MS
  for (const [topic, offsets] of written) {
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
      const ends = await session.ends(topic, [...offsets.keys()])
      if ([...offsets].every(([partition, offset]) => (ends.get(partition) ?? 0n) > offset)) break
      if (performance.now() > end) throw brokerUnavailable('show a committed transaction')
      await delay(pauseMs)
    }
  }
}

function toAppError(cause: unknown): KafkaError {
  if (isFenced(cause)) return fencedBy(cause)
  if (REFUSED_FOR_ITSELF.includes(protocolTypeOf(cause) ?? ''))
    return new KafkaError('kafka.record_refused', 'Kafka refuses one of the records', { cause })
  return brokerUnavailable('take part in a transaction', cause)
}

function outcomeUnknown(cause: unknown): KafkaError {
  return new KafkaError('kafka.outcome_unknown', 'Kafka did not say whether it committed', {
    cause,
  })
}
