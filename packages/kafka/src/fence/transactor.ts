// Transactions under one transactional id (docs/architecture.md 2, 4). Fencing ends whoever had the id
// before, once everything he had begun is ended. After any error of Kafka's this object is spent, for nobody
// knows then what the partitions have got: throw it away and make another one.
import type Cluster from 'kafkajs/src/cluster/index.js'

import { delay, hasCode, withTimeout } from '@weir/kit'

import { closeClient } from '../connect/close-client.ts'
import { protocolTypeOf, unavailable } from '../connect/faults.ts'
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import type { AddressedRecord } from '../protocol/out-record.ts'
import { FEW_RETRIES } from '../connect/retries.ts'
import { endOffsetsOf } from '../admin/topic-calls.ts'
import type { GroupOffsets } from '../protocol/transaction-requests.ts'
import { openSession } from './transaction-session.ts'
import type { Joined, TransactionSession, Written } from './transaction-session.ts'
import { KafkaError } from '../errors.ts'

export type Transaction = {
  /** Resolves when all replicas have them; they are seen once the transaction is committed. */
  send(records: readonly AddressedRecord[]): Promise<void>
  sendOffsets(offsets: GroupOffsets): Promise<void>
  /** Takes partitions and a group in without writing: how it ends is how what is open there ends. */
  join(joined: Joined): Promise<void>
}

/** Every method throws KafkaError `kafka.fenced`, `outcome_unknown` (commit only) or `unavailable`. */
export type Transactor = {
  /** Once, before the first transaction. */
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
}

const FENCED_BY: readonly string[] = [
  'INVALID_PRODUCER_EPOCH',
  'PRODUCER_FENCED',
  'INVALID_PRODUCER_ID_MAPPING',
  'TRANSACTION_COORDINATOR_FENCED',
]
const REQUEST_TIMEOUT_MS = 10_000
const VISIBLE_TIMEOUT_MS = 5_000

export function createTransactor(kafka: Kafka, options: TransactorOptions): Transactor {
  const { transactionalId, timeoutMs, awaitVisible = true } = options
  const cluster = internalsOf(kafka).cluster({
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    retries: FEW_RETRIES,
  })
  let session: TransactionSession | undefined
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
    return {
      send: (records) => kafkaWork(() => open.send(records)),
      sendOffsets: (offsets) => kafkaWork(() => open.sendOffsets(offsets)),
      join: (joined) => kafkaWork(() => open.join(joined)),
    }
  }

  async function commit(open: TransactionSession): Promise<void> {
    if (isSpent()) throw unavailable('commit what could not be sent')
    try {
      const written = open.written()
      await open.end(true)
      if (awaitVisible) await untilVisible(cluster, written)
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
      session = await kafkaWork(async () => {
        await cluster.connect()
        await cluster.refreshMetadata()
        return openSession(cluster, transactionalId, timeoutMs)
      })
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

    async close() {
      state = 'spent'
      await closeClient(cluster)
    },
  }
}

/** While a transaction is open, or its markers are on their way, the committed end can't pass its records. */
async function untilVisible(cluster: Cluster, written: Written): Promise<void> {
  const end = performance.now() + VISIBLE_TIMEOUT_MS
  for (const [topic, offsets] of written) {
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
      const ends = await endOffsetsOf(cluster, topic, [...offsets.keys()])
      if ([...offsets].every(([partition, offset]) => (ends.get(partition) ?? 0n) > offset)) break
      if (performance.now() > end) throw unavailable('show a committed transaction')
      await delay(pauseMs)
    }
  }
}

function toAppError(error: unknown): KafkaError {
  const type = protocolTypeOf(error)
  if (type !== undefined && FENCED_BY.includes(type)) {
    return new KafkaError('kafka.fenced', 'another producer has taken over', { cause: error })
  }
  return unavailable('take part in a transaction', error)
}

function outcomeUnknown(cause: unknown): KafkaError {
  return new KafkaError('kafka.outcome_unknown', 'Kafka did not say whether it committed', {
    cause,
  })
}
