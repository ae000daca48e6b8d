// Makes this replica the writer of a derived stream's partition. Tries until this succeeds or the stream is removed,
// with growing pauses. A fenced replica first reads which replicas are alive. Otherwise two replicas that consider each
// other dead would fence each other forever.
import { backoff, delay, hasCode } from '@weir/kit'
import type { Owned, PartitionLogs } from '../partition-logs.ts'
import { disown, settleUnsure } from './stream.ts'
import type { Pending, Stream } from './stream.ts'

export type Owning = {
  readonly logs: Pick<PartitionLogs, 'acquire'>
  /** Called after the former writer was fenced. Returns whether this replica may own the partition. */
  mayOwn(stream: Stream): Promise<boolean>
  /** Returns whether the stream may be derived, as far as this replica knows. */
  mayDerive(stream: Stream): boolean
  /** Reads the topic of heartbeats to its end. */
  readOwners(): Promise<void>
  /** Called when the stream's position is known. */
  onOwned(stream: Stream): void
}

const PAUSES = { minMs: 50, firstMs: 400, maxMs: 30_000 }
const WHILE_NOT_OURS_MS = 100
/**
 * Logs are acquired again after this time, because Kafka forgets a transactional id that is unused for a week, or for
 * the configured time.
 */
const OWNED_FOR_MS = 3_600_000
/** Data that was written to a socket arrives within this time, or never. */
const ARRIVES_WITHIN_MS = 30_000
const GOOD_AFTER_MS = 10_000

export const isOverdue = ({ owned, ownedMs }: Stream): boolean =>
  owned !== undefined && performance.now() - ownedMs > OWNED_FOR_MS

/** Acquires the stream's logs. The stream is on hold until then. */
export function acquire(owning: Owning, stream: Stream): void {
  disown(stream)
  stream.hold = 'acquiring'
  void untilOwned(owning, stream, stream.life)
}

/** Acquires the stream's logs again after they have refused records. */
export function acquireAgain(
  owning: Owning,
  stream: Stream,
  { error, first }: { readonly error: unknown; readonly first: Pending },
): void {
  disown(stream)
  stream.hold = 'acquiring'
  const { life } = stream
  if (hasCode(error, 'kafka.too_large')) {
    learn(stream, first)
    void untilOwned(owning, stream, life)
    return
  }
  stream.told.failed(error)
  if (performance.now() - stream.ownedMs > GOOD_AFTER_MS) stream.pauses = undefined
  void afterPause(owning, stream, error).then(() => untilOwned(owning, stream, life))
}

/** Stops writing the stream. */
export function giveUp(stream: Stream): void {
  disown(stream)
  stream.hold = 'acquiring'
  setTimeout(() => settleUnsure(stream), ARRIVES_WITHIN_MS).unref()
}

/**
 * Counts the refusal of a record that was sent alone. If several records were sent together, they are sent one by one
 * next.
 */
function learn(stream: Stream, { first: offset, records, upTo }: Pending): void {
  if (records > 1) {
    stream.aloneTo = upTo
    return
  }
  const times = stream.refused?.offset === offset ? stream.refused.times : 0
  stream.refused = { offset, times: times + 1 }
}

async function untilOwned(owning: Owning, stream: Stream, life: number): Promise<void> {
  while (stream.life === life) {
    if (!owning.mayDerive(stream)) {
      await delay(WHILE_NOT_OURS_MS)
      continue
    }
    try {
      const owned = await owning.logs.acquire(stream.of, () => owning.mayOwn(stream))
      if (stream.life === life) return own(owning, stream, owned)
      return owned.close()
    } catch (error) {
      if (stream.life !== life) return
      if (!hasCode(error, 'derive.may_not_own')) stream.told.failed(error)
      await afterPause(owning, stream, error)
    }
  }
}

function own(owning: Owning, stream: Stream, owned: Owned): void {
  settleUnsure(stream)
  stream.owned = owned
  stream.ownedMs = performance.now()
  stream.next = owned.next
  stream.stored = owned.next
  stream.logEnd = owned.end
  stream.epoch = owned.epoch
  // So the position is noted even if no record arrives. Otherwise the position would be lost when retention removes the
  // logs' records.
  stream.noted = undefined
  stream.hold = undefined
  owning.onOwned(stream)
}

async function afterPause(owning: Owning, stream: Stream, error: unknown): Promise<void> {
  stream.pauses ??= backoff(PAUSES)
  await delay(stream.pauses.next().value)
  if (hasCode(error, 'kafka.fenced')) await owning.readOwners().catch(() => undefined)
}
