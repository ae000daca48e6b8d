// Decides the changes that wait for the writer of control state: they are put in order on one draft, which gives the
// records. Nothing is written or answered here.
import { randomUUID } from 'node:crypto'
import type { Refusal } from '@weir/http-api'
import type { AddressedRecord } from '@weir/kafka'
import {
  auditTopic,
  changeHeader,
  controlTopic,
  controlValue,
  createBatch,
  keysTopic,
} from '@weir/control-state'
import type { Attempt, Batch, Change, Draft, StateFollower } from '@weir/control-state'
import { refusal } from '../errors.ts'

/**
 * Reads the draft, puts the changes and returns the answer. To refuse, it throws an AppError, and its changes are
 * dropped. It may run several times, so it must have no other effect.
 */
export type Decide<Answer> = (draft: Draft) => Answer

export type PendingChange = Attempt & {
  readonly deadlineMs: number
  readonly settle: () => void
  readonly fail: (error: unknown) => void
}

/** The records to write, and the answer to each change once they are written. */
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
/** Beyond this no further change is added. A single change may be larger. */
const transactionBytesMax = 4_000_000

type Waiting = { readonly options: Deciding; readonly waiting: Set<PendingChange> }

/** Adds a change, which waits until it is settled or has failed. */
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
 * Decides the changes that wait, each on the draft that the earlier ones left. The tables contain everything that was
 * committed before a change was requested. Nothing is answered yet: a refusal may depend on another change of the
 * batch, which must be committed first.
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
    // The other changes come next: a transaction must end long before its time-out.
    if (batch.keyBytes() > transactionBytesMax) break
    // An earlier attempt with an unknown outcome has succeeded.
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

/** The records of all topics, in sends well below a broker's request limit. */
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

export const unavailable = (cause?: unknown): Refusal =>
  refusal('unavailable', 'Kafka did not store the change in time; try again', { cause })
