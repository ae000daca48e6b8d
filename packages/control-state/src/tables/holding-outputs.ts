// The outputs that contain fields out of an erasure's reach. Fields that were decrypted before the erasure stay in the
// topics of derived streams until the retention of these topics. Dead letter topics are not included, because their
// records are encrypted as in the input. Pure. The end of the retention depends on topic settings, which other code
// reads.
import { isDecryptedByReaders } from '../records/records.ts'
import type { DerivedStream, ErasureRecord } from '../records/records.ts'
import type { Streams } from './state.ts'

export type HoldingOutput = {
  readonly output: DerivedStream
  /** The levels of the erasure that the output decrypts. */
  readonly levels: readonly number[]
}

/**
 * Whether a derived stream may see fields of the level: Weir or, in some outputs, the reader decrypts them. Without
 * levels nothing is decrypted.
 */
export function opensLevel(
  { consentLevels, consentLevelType }: Pick<DerivedStream, 'consentLevels' | 'consentLevelType'>,
  level: number,
): boolean {
  switch (consentLevelType) {
    case 'CUMULATIVE':
      return level <= (consentLevels[0] ?? -1)
    case 'GRANULAR':
      return consentLevels.includes(level)
    default:
      return false
  }
}

/**
 * Includes deleted outputs while their topics may exist. Excludes outputs that were created after the erasure was
 * applied, because they get its fields encrypted, and outputs whose readers decrypt.
 */
export function outputsHolding(
  state: Pick<Streams, 'streamsOf'>,
  erasure: ErasureRecord,
): HoldingOutput[] {
  const then = erasure.outputs && new Set(erasure.outputs.map(({ streamId }) => streamId))
  return outputsOpening(state, erasure)
    .filter(({ output }) => !isDecryptedByReaders(output))
    .filter(({ output }) => then?.has(output.streamId) ?? output.neverReady !== true)
}

/** The outputs whose readers decrypt, also deleted ones as above. Later outputs give no keys for the erasure's events. */
export const outputsForReaders = (
  state: Pick<Streams, 'streamsOf'>,
  erasure: ErasureRecord,
): HoldingOutput[] =>
  outputsOpening(state, erasure)
    .filter(({ output }) => isDecryptedByReaders(output) && output.neverReady !== true)
    .filter(({ output }) => output.createdAtMs <= (erasure.appliedAtMs ?? Infinity))

/** The outputs that decrypt a level of the erasure, by Weir or by their readers. */
const outputsOpening = (
  state: Pick<Streams, 'streamsOf'>,
  { billingId, streamId, levels }: ErasureRecord,
): HoldingOutput[] =>
  state
    .streamsOf(billingId)
    .filter(
      (stream): stream is DerivedStream =>
        stream.kind === 'derived' && stream.linkedStreamId === streamId,
    )
    .map((output) => ({ output, levels: levels.filter((level) => opensLevel(output, level)) }))
    .filter((holding) => holding.levels.length > 0)

/**
 * The time until which readers may have keys for events of the input stream, if they got these keys until `sinceMs`. At
 * least `sinceMs`.
 */
export function keysLentUntil(
  state: Pick<Streams, 'streamsOf'>,
  { billingId, streamId }: Pick<ErasureRecord, 'billingId' | 'streamId'>,
  sinceMs: number,
): number {
  const until = state.streamsOf(billingId).map((stream) => {
    if (stream.kind === 'input')
      return stream.streamId === streamId ? (stream.keysLentUntilMs ?? 0) : 0
    const isOurs = stream.linkedStreamId === streamId && stream.state !== 'deleting'
    return isOurs ? sinceMs + (stream.keyMaxAgeSeconds ?? 0) * 1_000 : 0
  })
  return Math.max(sinceMs, ...until)
}
