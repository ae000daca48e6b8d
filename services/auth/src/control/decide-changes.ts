// Decides the changes that wait for the writer of control state. Applies them in order to one draft, which yields the
// records. writer.ts writes the records and answers the callers.
import { randomUUID } from 'node:crypto'
import type { Refusal } from '@weir/http-api'
import type { AddressedRecord } from '@weir/kafka'
import {
  auditTopic,
  changeHeader,
  controlTopic,
  controlValue,
  createBatch,
  erasuresTopic,
  keysTopic,
} from '@weir/control-state'
import type { Attempt, Batch, Change, Draft, StateFollower } from '@weir/control-state'
import { refusal } from '../errors.ts'

/**
 * Reads the draft, puts records into it, and returns the answer. Throws an AppError to refuse: its puts are then
 * dropped. May run several times, so it must have no other effect.
 */
export type Decide<Answer> = (draft: Draft) => Answer

export type PendingChange = Attempt & {
  readonly deadlineMs: number
  readonly settle: () => void
  readonly fail: (error: unknown) => void
}

/** The records to write, and the answer to each change. */
export type Decided = {
  readonly chunks: AddressedRecord[][]
  readonly answers: readonly (() => void)[]
}

export type Deciding = {
  readonly follower: Pick<StateFollower, 'tables' | 'keyStore' | 'changes' | 'catchUp'>
  readonly now: () => number
}

const changeTimeoutMs = 20_000
const changesPerTransactionMax = 200
const sendBytesMax = 500_000
/** Above this size of the key records no further change is added. A single change may be larger. */
const transactionBytesMax = 4_000_000

type Waiting = { readonly options: Deciding; readonly waiting: Set<PendingChange> }

/** Adds a change. Calls `resolve` when its transaction is committed, or `reject` when it has failed. */
export function addPending<Answer>(
  { options: { follower, now }, waiting }: Waiting,
  { what, decide: decideOn }: { what: Change; decide: Decide<Answer> },
  { resolve, reject }: { resolve: (answer: Answer) => void; reject: (error: unknown) => void },
): void {
  const id = follower.changes.expect(randomUUID())
  let answer: { value: Answer } | undefined
  const end = (): void => {
    waiting.delete(pending)
    follower.changes.forget(id)
  }
  const pending: PendingChange = {
    id,
    what,
    deadlineMs: now() + changeTimeoutMs,
    decide: (draft) => {
      answer = { value: decideOn(draft) }
    },
    settle: () => {
      end()
      if (answer === undefined) reject(unavailable())
      else resolve(answer.value)
    },
    fail: (error) => {
      end()
      reject(error)
    },
  }
  waiting.add(pending)
}

/**
 * Decides the waiting changes in order. Each change sees the puts of the earlier ones, and everything that was
 * committed before it was requested. No caller gets its answer yet, because a refusal may depend on an earlier change
 * of the batch, which must be committed first.
 */
export async function decide(
  { follower, now }: Deciding,
  waiting: ReadonlySet<PendingChange>,
): Promise<Decided> {
  const changes = [...waiting].slice(0, changesPerTransactionMax)
  await follower.catchUp()
  const batch = createBatch(follower.tables.store, follower.keyStore, now)
  const answers: (() => void)[] = []
  for (const pending of changes) {
    // The remaining changes wait for the next batch, because a transaction must end long before its time-out.
    if (batch.keyBytes() > transactionBytesMax) break
    // If the follower has read this change, an earlier attempt with an unknown outcome succeeded.
    answers.push(follower.changes.has(pending.id) ? pending.settle : decideOne(batch, pending))
  }
  return { chunks: chunksOf(batch), answers }
}

function decideOne(batch: Batch, pending: PendingChange): () => void {
  try {
    batch.attempt(pending)
    return pending.settle
  } catch (refusal) {
    return () => pending.fail(refusal)
  }
}

export function answerAll({ answers }: Decided): void {
  for (const answer of answers) answer()
}

/** Returns the records of all topics, in chunks well below a broker's request limit. */
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
    ...batch.log.map(({ key, value }) => ({ topic: erasuresTopic, partition: 0, key, value })),
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

export const unavailable = (cause?: unknown): Refusal =>
  refusal('unavailable', 'Kafka did not store the change in time; try again', { cause })
