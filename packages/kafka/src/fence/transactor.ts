// Transactions under one transactional id (docs/architecture.md 2, 4). Fencing ends whoever had the id
// before, once everything he had begun is ended. After any error of Kafka's this object is spent, for nobody
// knows then what the partitions have got: throw it away and make another one.
import { delay, hasCode, withTimeout } from '@weir/kit'

import { protocolTypeOf, unavailable } from '../connect/faults.ts'
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
   * Resolves when all replicas have them; they are seen once the transaction is committed. Throws KafkaError `kafka.record_refused`, too,
   * when Kafka refuses one of them because of itself.
   */
  send(records: readonly AddressedRecord[]): Promise<void>
}

/** Every method throws KafkaError `kafka.fenced`, `outcome_unknown` (commit only) or `unavailable`. */
export type Transactor = {
  /** Once, before the first transaction. With `logs`, KafkaError `kafka.hanging_transaction` says that a stranger's is open there. */
  fence(): Promise<void>
  /**
   * One at a time. When `work` throws something of its own, the transaction is aborted, the error passed on,
   * and the transactor stays usable. `outcome_unknown`: it may or may not be committed.
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export type TransactorOptions = {
  readonly transactionalId: string
  /** After this time without an end the broker aborts a transaction by itself. */
  readonly timeoutMs: number
  /**
   * Whether `transaction` waits until readers see it, a few ms after Kafka has taken the commit: a reader
   * who asks for the committed end right after the commit might be given an end before it. Default true.
   */
  readonly awaitVisible?: boolean
  /**
   * What it alone writes, or other owners under the same id. Then fencing ends a transaction that Kafka has left open in some of them
   * as it has ended in the others, and resolves when none is open there: what is committed is all there is.
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
    if (isSpent()) throw unavailable('use a producer that failed')
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
    if (isSpent()) throw unavailable('commit what could not be sent')
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

  // Work and aborting change the state behind the compiler's back.
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

/** While a transaction is open, or its markers are on their way, the committed end can't pass its records. */
async function untilVisible(session: TransactionSession, written: Written): Promise<void> {
  const end = performance.now() + VISIBLE_TIMEOUT_MS
  for (const [topic, offsets] of written) {
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
      const ends = await session.ends(topic, [...offsets.keys()])
      if ([...offsets].every(([partition, offset]) => (ends.get(partition) ?? 0n) > offset)) break
      if (performance.now() > end) throw unavailable('show a committed transaction')
      await delay(pauseMs)
    }
  }
}

function toAppError(cause: unknown): KafkaError {
  if (isFenced(cause)) return fencedBy(cause)
  if (REFUSED_FOR_ITSELF.includes(protocolTypeOf(cause) ?? ''))
    return new KafkaError('kafka.record_refused', 'Kafka refuses one of the records', { cause })
  return unavailable('take part in a transaction', cause)
}

function outcomeUnknown(cause: unknown): KafkaError {
  return new KafkaError('kafka.outcome_unknown', 'Kafka did not say whether it committed', {
    cause,
  })
}
