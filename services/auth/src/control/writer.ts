// The fenced writer of control state (docs/architecture.md 2). One fixed transactional id: making
// its producer fences every other writer, so from there until this one is fenced, the tables plus
// its own commits are the truth, and a rule checked against them holds. All changes that wait go
// into one transaction.
import { randomUUID } from 'node:crypto'
import { AppError, delay, hasCode } from '@weir/kit'
import type { Log } from '@weir/kit'
import { createTransactor } from '@weir/kafka'
import type { AddressedRecord, Kafka, Transactor } from '@weir/kafka'
import type { Change } from '@weir/control-state'
import { auditTopic } from '@weir/control-state'
import type { Attempt, Batch, Draft } from '@weir/control-state'
import { createBatch } from '@weir/control-state'
import type { StateFollower } from '@weir/control-state'
import { changeHeader } from '@weir/control-state'
import { controlTopic, controlValue, keysTopic } from '@weir/control-state'

/**
 * Reads the draft, puts what is to change and returns the answer. To refuse, it throws an AppError;
 * what it had put is dropped then. It may run several times, so it must do nothing else.
 */
export type Decide<Answer> = (draft: Draft) => Answer

export type Writer = {
  /**
   * Resolves with the answer once the change is committed and this process's tables hold it.
   * Rejects with the refusal, or with `unavailable` when Kafka can't take it within 20 s; then it
   * may or may not have got through. What it is to the audit log has to be said: an action gets its entry in the
   * same transaction.
   */
  change<Answer>(what: Change, decide: Decide<Answer>): Promise<Answer>
  close(): Promise<void>
}

type Pending = Attempt & {
  readonly deadlineMs: number
  readonly settle: () => void
  readonly fail: (error: unknown) => void
}

/** What to write, and how each change is answered once that is done. */
type Decided = { readonly chunks: AddressedRecord[][]; readonly answers: readonly (() => void)[] }

export type WriterOptions = {
  follower: Pick<StateFollower, 'tables' | 'keyStore' | 'changes' | 'catchUp'>
  log: Log
  now: () => number
  /** A producer under the writer's one transactional id. */
  makeTransactor: () => Transactor
}

export const writerTransactor = (kafka: Kafka): Transactor =>
  createTransactor(kafka, { transactionalId: 'weir.control.writer', timeoutMs: 10_000 })

const changeTimeoutMs = 20_000
const changesPerTransactionMax = 200
const sendBytesMax = 500_000
/** After so much no further change is taken in; one alone may be larger. */
const transactionBytesMax = 4_000_000

export function createWriter({ follower, log, now, makeTransactor }: WriterOptions): Writer {
  const waiting = new Set<Pending>()
  let transactor: Transactor | undefined
  let running: Promise<void> | undefined
  let closed = false

  const discard = async (): Promise<void> => {
    const old = transactor
    transactor = undefined
    await old?.close().catch(() => {})
  }

  const fence = async (): Promise<Transactor> => {
    if (transactor !== undefined) return transactor
    const made = makeTransactor()
    try {
      await made.fence()
    } catch (error) {
      await made.close().catch(() => {})
      throw error
    }
    return (transactor = made)
  }

  const settle = (pending: Pending): void => {
    waiting.delete(pending)
    pending.settle()
  }
  const fail = (pending: Pending, error: unknown): void => {
    waiting.delete(pending)
    pending.fail(error)
  }

  /**
   * Decides the changes that wait by now, each on the draft that the ones before it left, on tables
   * that hold whatever was committed before it was asked for. Nothing is answered yet: a refusal may
   * rest on another change of the batch, which must be committed first.
   */
  const decideWaiting = async (): Promise<Decided> => {
    const changes = [...waiting].slice(0, changesPerTransactionMax)
    await follower.catchUp()
    const batch = createBatch(follower.tables.store, follower.keyStore, now)
    const answers: (() => void)[] = []
    for (const pending of changes) {
      // The others come next: a transaction must be over long before its time is.
      if (batch.keyBytes() > transactionBytesMax) break
      answers.push(decideOne(batch, pending))
    }
    return { chunks: chunksOf(batch), answers }
  }

  const decideOne = (batch: Batch, pending: Pending): (() => void) => {
    // An attempt whose outcome was unknown had got through.
    if (follower.changes.has(pending.id)) return () => settle(pending)
    try {
      batch.attempt(pending)
      return () => settle(pending)
    } catch (refusal) {
      return () => fail(pending, refusal)
    }
  }

  /** What the tables settle by themselves, without fencing another replica's writer. */
  const answerWithoutWriting = async (): Promise<boolean> => {
    const { chunks, answers } = await decideWaiting()
    if (chunks.length > 0) return false
    for (const answer of answers) answer()
    return true
  }

  const commit = async (): Promise<void> => {
    if (transactor === undefined && (await answerWithoutWriting())) return
    const producer = await fence()
    const { chunks, answers } = await decideWaiting()
    if (chunks.length > 0) {
      await producer.transaction(async (tx) => {
        for (const chunk of chunks) await tx.send(chunk)
      })
      await follower.catchUp()
    }
    for (const answer of answers) answer()
  }

  const drain = async (): Promise<void> => {
    for (let attempt = 0; waiting.size > 0; attempt++) {
      try {
        await commit()
        attempt = -1
      } catch (error) {
        await discard()
        if (!hasCode(error, 'fenced'))
          log.warn({ err: error }, 'a change was not written to control state; trying again')
        for (const pending of waiting)
          if (closed || pending.deadlineMs < now()) fail(pending, unavailable(error))
        if (waiting.size > 0) await delay(retryDelayMs(attempt))
      }
    }
    // Here and not in a later callback: a change that is added from now on must start a drain of its own.
    running = undefined
  }

  const pendingOf = <Answer>(
    { what, decide }: { what: Change; decide: Decide<Answer> },
    resolve: (answer: Answer) => void,
    reject: (error: unknown) => void,
  ): Pending => {
    const id = follower.changes.expect(randomUUID())
    let answer: { value: Answer } | undefined
    return {
      id,
      what,
      deadlineMs: now() + changeTimeoutMs,
      decide: (draft) => {
        answer = { value: decide(draft) }
      },
      settle: () => {
        follower.changes.forget(id)
        if (answer === undefined) reject(unavailable())
        else resolve(answer.value)
      },
      fail: (error) => {
        follower.changes.forget(id)
        reject(error)
      },
    }
  }

  return {
    change(what, decide) {
      if (closed) return Promise.reject(unavailable())
      return new Promise((resolve, reject) => {
        waiting.add(pendingOf({ what, decide }, resolve, reject))
        running ??= drain()
      })
    },
    async close() {
      closed = true
      await running
      await discard()
    },
  }
}

/** All topics' records in sends that stay well under a broker's request limit. */
function chunksOf(batch: Batch): AddressedRecord[][] {
  const records: AddressedRecord[] = [
    ...batch.control.map(({ key, value, changeId }) => ({
      topic: controlTopic,
      partition: 0,
      key,
      value: value === null ? null : controlValue(value),
      headers: { [changeHeader]: changeId },
    })),
    ...batch.keys.map(({ key, value, changeId }) => ({
      topic: keysTopic,
      partition: 0,
      key,
      value,
      headers: { [changeHeader]: changeId },
    })),
    ...batch.audit.map(({ value, timeMs }) => ({
      topic: auditTopic,
      partition: 0,
      key: null,
      value,
      timestampMs: timeMs,
    })),
  ]
  const chunks: AddressedRecord[][] = []
  let bytes = Infinity
  for (const record of records) {
    const size = (record.key?.length ?? 0) + (record.value?.length ?? 0) + 100
    if (bytes + size > sendBytesMax) {
      chunks.push([])
      bytes = 0
    }
    chunks.at(-1)?.push(record)
    bytes += size
  }
  return chunks
}

/** 20 to 200 ms at first, doubling, at most 5 s: two writers that fence each other come apart. */
function retryDelayMs(attempt: number): number {
  return Math.min(5_000, (20 + Math.random() * 180) * 2 ** Math.min(attempt, 8))
}

const unavailable = (cause?: unknown): AppError<'unavailable'> =>
  new AppError('unavailable', 'Kafka did not store the change in time; try again', { cause })
