// What one request of many events has under way: what came of its events so far, and how fast it may go on. It
// reads no event.
import type { HttpRequest } from '@weir/http2'
import { hasCode } from '@weir/kit'
import type { InputStream } from '@weir/control-state'
import type { ActiveContract } from '../event/active-contracts.ts'
import type { Backlog, BacklogShare } from './backlog.ts'
import type { BatchAnswer } from './batch-answer.ts'
import type { BatchForm } from './batch-form.ts'
import { refusal, refusalOf } from '../errors.ts'
import type { RefusalCode, Refused } from '../errors.ts'
import type { IngestDeps } from '../event/take-event.ts'

export type EventsDeps = IngestDeps & {
  backlog: Backlog
  /** So many events of one request came out so; `none` when they are stored. */
  countEvents: (code: RefusalCode | 'none', events: number) => void
  onInternal: (error: unknown) => void
}

export type EventBatch = {
  readonly deps: EventsDeps
  readonly request: HttpRequest
  readonly schemaId: string
  readonly encoding: 'identity' | 'gzip'
  readonly batchForm: BatchForm
  readonly answer: BatchAnswer
  readonly share: BacklogShare
  readonly outcomes: Map<RefusalCode | 'none', number>
  stream: InputStream
  active: ActiveContract
  /** Why nothing more is taken, since the token, the stream or the contract has changed. */
  refused: unknown
  /** Of what was not stored for Kafka's sake: the first that may be stored all the same, or else the first. */
  unavailable: Refused | undefined
  nextIndex: number
}

/** So many bytes of rejected events make an answer that is sent while the body still comes in. */
const wholeAnswerBytesMax = 65_536

export function reject(batch: EventBatch, index: number, error: unknown): void {
  const { deps, stream, answer } = batch
  const refused = refusalOf(error)
  if (refused.code === 'internal') deps.onInternal(error)
  if (hasCode(error, 'kafka.outcome_unknown')) batch.unavailable = refused
  else if (refused.code === 'unavailable') batch.unavailable ??= refused
  deps.limits.refused(stream, deps.now(), refused.code)
  answer.reject(index, refused)
  count(batch, refused.code)
}

export function count({ outcomes }: EventBatch, code: RefusalCode | 'none'): void {
  outcomes.set(code, (outcomes.get(code) ?? 0) + 1)
}

export function tell({ deps, outcomes }: EventBatch): void {
  for (const [code, events] of outcomes) deps.countEvents(code, events)
  outcomes.clear()
}

// --- how fast ---

export const mustPause = (batch: EventBatch): boolean =>
  batch.deps.longWork.isOver() ||
  batch.share.isFull ||
  batch.answer.length > wholeAnswerBytesMax ||
  mayBeInVain(batch)

/** Nothing is stored yet, and Kafka did not take something. */
const mayBeInVain = ({ unavailable, answer }: EventBatch): boolean =>
  unavailable !== undefined && answer.accepted === 0 && !answer.hasBegun

/** Until it may go on; gives what is rejected, once it is too much to be kept. */
export async function pause(batch: EventBatch): Promise<Buffer | undefined> {
  const { deps, share, answer, stream } = batch
  await deps.longWork.turnOf(stream.billingId)
  while (share.isFull) await share.change()
  if (mayBeInVain(batch)) {
    await settled(batch)
    refuseIfNoneIsStored(batch)
  }
  if (answer.length <= wholeAnswerBytesMax) return undefined
  await settled(batch) // those before may be rejected yet
  return answer.takeRejected()
}

export async function settled({ share }: EventBatch): Promise<void> {
  while (!share.isEmpty) await share.change()
}

export function refuseIfNoneIsStored(batch: EventBatch): void {
  const { unavailable } = batch
  if (unavailable !== undefined && mayBeInVain(batch))
    throw refusal(unavailable.code, unavailable.message, unavailable.cause)
}
