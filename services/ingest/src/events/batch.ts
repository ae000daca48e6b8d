// The state of one request with many events: the outcomes so far, and when it must pause.
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
import type { IngestMetrics } from '../metrics.ts'

export type EventsDeps = IngestDeps & {
  backlog: Backlog
  metrics: Pick<IngestMetrics, 'events'>
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
  /** Why further events are refused: the token, the stream or the contract has changed. */
  refused: unknown
  /** The body is a JSON array: none of its lines is stored, so that the events can be sent again as lines. */
  isArray: boolean
  /**
   * The refusal to report if no event was certainly stored: the last refusal whose event may have been stored, or
   * otherwise the first `unavailable`.
   */
  unavailable: Refused | undefined
  nextIndex: number
}

/** With more bytes of rejected events, the response starts while the body is still received. */
const wholeAnswerBytesMax = 65_536

export function reject(batch: EventBatch, index: number, error: unknown): void {
  const { deps, stream, answer } = batch
  const refused = refusalOf(error)
  if (refused.code === 'internal') deps.onInternal(error)
  if (hasCode(error, 'kafka.outcome_unknown')) batch.unavailable = refused
  else if (refused.code === 'unavailable') batch.unavailable ??= refused
  deps.limits.refused(stream, deps.now(), refused.code)
  answer.reject(index, refused)
  countOutcomes(batch, refused.code)
}

export function countOutcomes({ outcomes }: EventBatch, code: RefusalCode | 'none'): void {
  outcomes.set(code, (outcomes.get(code) ?? 0) + 1)
}

export function tell({ deps, outcomes }: EventBatch): void {
  for (const [code, events] of outcomes) deps.metrics.events(code, events)
  outcomes.clear()
}

export const mustPause = (batch: EventBatch): boolean =>
  batch.deps.longWork.isOver() ||
  batch.share.isFull ||
  batch.answer.length > wholeAnswerBytesMax ||
  mayBeInVain(batch)

/** Returns whether an event was `unavailable`, no event is stored yet, and the response has not begun. */
const mayBeInVain = ({ unavailable, answer }: EventBatch): boolean =>
  unavailable !== undefined && answer.accepted === 0 && !answer.hasBegun

/** Waits until the request may continue. Returns the rejected events if they are too large to keep. */
export async function pause(batch: EventBatch): Promise<Buffer | undefined> {
  const { deps, share, answer, stream } = batch
  await deps.longWork.turnOf(stream.billingId)
  while (share.isFull) await share.change()
  if (mayBeInVain(batch)) {
    await settled(batch)
    refuseIfNoneIsStored(batch)
  }
  if (answer.length <= wholeAnswerBytesMax) return undefined
  await settled(batch) // earlier events may still be rejected
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
