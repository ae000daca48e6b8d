// Transactions under one transactional id (docs/architecture.md 2, 4). Fencing ends the former holder's transaction and
// then fences it. After any error from Kafka the state of the partitions is unknown: discard this object and create
// another.
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
   * Resolves when all replicas have the records; readers see them once the transaction is committed. Also throws
   * KafkaError `kafka.record_refused` when Kafka refuses one of the records.
   */
  send(records: readonly AddressedRecord[]): Promise<void>
}

/** Every method throws KafkaError `kafka.fenced`, `outcome_unknown` (commit only) or `unavailable`. */
export type Transactor = {
  /**
   * Call once, before the first transaction. With `logs`, throws KafkaError `kafka.hanging_transaction` when an
   * unrelated producer's transaction is open there.
   */
  fence(): Promise<void>
  /**
   * One at a time. When `work` throws an error of its own, the transaction is aborted, the error rethrown, and the
   * transactor stays usable. `outcome_unknown`: it may or may not be committed.
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export type TransactorOptions = {
  readonly transactionalId: string
  /** The broker aborts a transaction that hasn't ended after this time. */
  readonly timeoutMs: number
  /**
   * Whether `transaction` waits until readers see it, a few ms after Kafka has accepted the commit: a reader that asks
   * for the committed end right after the commit might get an earlier end. Default true.
   */
  readonly awaitVisible?: boolean
  /**
   * Partitions that only owners under this id write. Fencing then ends a transaction that Kafka has left open in some
   * of them as it has ended in the others, and resolves when none is open: what is committed is complete.
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

export function createTransactor(kafka: Kafka, options: TransactorOptions): Transactor {
  const { transactionalId, timeoutMs, awaitVisible = true, logs } = options
  const { cluster } = internalsOf(kafka)
  const leave = cluster.join()
  const soon = () => performance.now() + REQUEST_TIMEOUT_MS
  const brokers = askBrokers(cluster, 'transactions', soon)
  let session: TransactionSession | undefined
  let isClosed = false
  let state: 'new' | 'ready' | 'busy' | 'spent' = 'new'

  async function kafkaWork<T>(work: () => Promise<T>): Promise<T> {
    if (isSpent()) throw brokerUnavailable('use a producer that failed')
    try {
      return await work()
    } catch (error) {
      state = 'spent'
      throw toAppError(error)
    }
  }

  function toTransaction(open: TransactionSession): Transaction {
    return { send: (records) => kafkaWork(() => open.send(records)) }
  }

  async function commit(open: TransactionSession): Promise<void> {
    if (isSpent()) throw brokerUnavailable('commit what could not be sent')
    try {
      const written = open.written()
      await open.end(true)
      if (awaitVisible) await untilVisible(open, written)
    } catch (error) {
      state = 'spent'
      const known = toAppError(error)
      throw known.code === 'kafka.fenced' ? known : outcomeUnknown(error)
    }
  }

  async function abort(open: TransactionSession): Promise<void> {
    await withTimeout(open.end(false), REQUEST_TIMEOUT_MS, 'ending a transaction').catch(() => {
      state = 'spent'
    })
  }

  // The compiler doesn't know that work and aborting change the state.
  function isSpent(): boolean {
    return state === 'spent'
  }

  return {
    async fence() {
      if (state !== 'new') throw new TypeError('a transactor fences once')
      const take = () => kafkaWork(() => openSession(brokers, transactionalId, timeoutMs))
      session = await (logs ? takeEnded(kafka, { transactionalId, ...logs }, take) : take())
      if (!isSpent()) state = 'ready'
    },

    async transaction(work) {
      if (state !== 'ready' || !session) throw new TypeError(`no transaction can begin: ${state}`)
      state = 'busy'
      let result
      try {
        result = await work(toTransaction(session))
      } catch (error) {
        if (!hasCode(error, 'kafka.fenced')) await abort(session)
        if (!isSpent()) state = 'ready'
        throw error
      }
      await commit(session)
      if (!isSpent()) state = 'ready'
      return result
    },

    close() {
      state = 'spent'
      if (!isClosed) leave()
      isClosed = true
      return Promise.resolve()
    },
  }
}

/** The committed end can't pass a transaction's records while it is open or its markers aren't written yet. */
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
